"""``torch._dynamo.backends``: what back ends of users are made with."""
