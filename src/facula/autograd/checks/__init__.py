"""What ``gradcheck`` does: Jacobians by finite differences and by backward passes, and demands beyond numbers."""
