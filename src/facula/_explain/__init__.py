"""Why a gradient is missing, wrong or not finite, and which line of the user's program made it so."""
