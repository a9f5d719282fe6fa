"""What was captured, as a graph; its derivative; and the steps that back ends write out."""
