"""A second, naive reading of requests and of the fold's replay, to judge the fast one by.

Plain values, nothing kept, nothing shared with the package: every answer is worked out again from the request.
"""
