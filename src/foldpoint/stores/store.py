"""A store on a database: its records and its keys as one."""

from .database import Database
from .keys import Keys
from .records import Records


class SqlStore:
    """Implements Store: everything is done by Records or by Keys, on one database."""

    def __init__(self, database: Database) -> None:
        records, keys = Records(database), Keys(database)
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
        self.close = database.close
