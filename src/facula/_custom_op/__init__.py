"""Operators of one's own: their schemas, which function a call goes to, and whether they keep their promises."""
