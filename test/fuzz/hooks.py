"""Findings of Schemathesis that are decisions of this service, each with its reason."""

import json

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

# With these codes the service refuses bodies that fit the schema. No schema can say them; the contract does in words.
RULES = {
    "unknown_reference",  # what a body refers to has to exist
    "foreign_reference",  # ... and to be a part of the same survey
    "duplicate_reference",  # ... and to be named once
    "duplicate_field_type",  # one title and one description in all tasks together
    "private_tags",  # a rule about two members
    "too_deep",  # x-max-depth is no keyword of JSON Schema
    "invalid_character",  # NUL and lone surrogates, in any text at any place
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts: not if a body that fits the schema was refused for nothing but such rules."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return True
    return not {problem["code"] for problem in json.loads(response.content)["errors"]} <= RULES
