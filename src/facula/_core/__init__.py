"""What everything rests on: modes, dtypes, devices, memory, threads, random generators. No operator."""
