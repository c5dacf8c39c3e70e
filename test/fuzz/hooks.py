"""What Schemathesis cannot know of this service: which identifiers exist, and which rules no schema can say."""

import json
import re

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

# With these codes the service refuses bodies that fit the schema. The contract says them in words.
RULES = {
    "unknown_reference",  # what a body refers to has to exist
    "foreign_reference",  # ... and to be a part of the same survey
    "duplicate_reference",  # ... and to be named once
    "duplicate_field_type",  # one title and one description in all tasks together
    "private_tags",  # a rule about two members
    "too_deep",  # x-max-depth is no keyword of JSON Schema
    "invalid_character",  # NUL and lone surrogates, in any text at any place
    "body_too_large",  # the size of the whole
    "invalid_name",  # the length of names, in any object at any place
    "survey_too_large",  # the size of what is stored
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts: not if what fits the schema was refused for nothing but such rules."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code not in (400, 413, 422):
        return True
    problems = json.loads(response.content)["errors"]
    return not all(problem["code"] in RULES or is_fraction(case, problem) for problem in problems)


def is_fraction(case, problem):
    """For JSON Schema 1.0 is a whole number. In an address it is refused, where numbers are digits only."""
    if problem["code"] != "invalid_parameter":
        return False
    sent = {**(case.query or {}), **(case.path_parameters or {})}
    return re.fullmatch(r"\d+\.0+", str(sent.get(problem["source"]["parameter"]))) is not None


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """
    Lets sequences come to the creation of metadata: Schemathesis never begins with an operation that refers to records,
    such as licences, unless the contract says how to create those.
    """
    license = raw_schema["paths"]["/api/v3/hxl/licenses/{id}"]["get"]["responses"]["200"]
    license["links"] = {"describe": {"operationId": "createHxlMetadata", "requestBody": {"license_id": "$response.body#/id"}}}


# How many there are of what HXL metadata refers to: users are made by scripts/lib/running-service.ts, licences come with the service.
COUNTS = {"license_id": 8, "user_id": 3}


@schemathesis.hook.apply_to(operation_id="createHxlMetadata")
def map_body(context, body):
    """Most identifiers that are possible become ones that exist, or no record would ever be created."""
    if isinstance(body, dict):
        for name, count in COUNTS.items():
            identifier = body.get(name)
            if type(identifier) is int and 0 < identifier < 2**53:
                body[name] = identifier % (count + 1) + 1
    return body
