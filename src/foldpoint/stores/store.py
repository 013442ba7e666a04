"""A store on a database: its records, its keys and its results as one."""

from .database import Database
from .keys import Keys
from .records import Records
from .results import Results


class SqlStore:
    """Implements Store: everything is done by Records, Keys or Results, on one database."""

    def __init__(self, database: Database) -> None:
        records, keys, results = Records(database), Keys(database), Results(database)
        self.add = records.add
        self.requests = records.requests
        self.request = records.request
        self.sessions = records.sessions
        self.session = records.session
        self.savings = records.savings
        self.ping = records.ping
        self.purge = records.purge
        self.secret = keys.secret
        self.add_key = keys.add_key
        self.key_by = keys.key_by
        self.keys = keys.keys
        self.set_skills = keys.set_skills
        self.revoke_key = keys.revoke_key
        self.keep = results.keep
        self.result = results.result
        self.purge_results = results.purge_results
        self.close = database.close
