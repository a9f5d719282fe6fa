"""The database's own run takes some minutes: it joins the tests where FACULA_OPERATOR_DATABASE is set."""

import os

collect_ignore_glob = [] if os.environ.get("FACULA_OPERATOR_DATABASE") else ["test_*.py"]
