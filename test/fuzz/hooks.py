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
    "too_many_members",  # how many different names there are in a body, in all objects together
}

# The same, but only for requests with one of these headers.
RULES_OF_HEADERS = {
    "precondition_failed": {"if-match", "if-none-match", "if-modified-since", "if-unmodified-since"},
    "unknown_member": {"prefer"},
    "unknown_parameter": {"prefer"},
}

# What is refused although it fits the schema: the format of entity tags is not one of JSON Schema, and cursors are given out.
UNKNOWABLE = {"if-match", "if-none-match", "cursor"}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts: not if what fits the schema was refused for nothing but such rules."""
    # Headers that are too large altogether are refused before it is known which operation they are for.
    if response.status_code == 431:
        return False
    if not isinstance(failure, RejectedPositiveData) or response.status_code not in (400, 412, 413, 422):
        return True
    problems = json.loads(response.content)["errors"]
    return not all(
        problem["code"] in RULES
        or is_asked_for(case, problem)
        or is_unknowable(problem)
        or is_fraction(case, problem)
        for problem in problems
    )


def is_asked_for(case, problem):
    """Whether a header of the request says that it shall be refused."""
    return any(name.lower() in RULES_OF_HEADERS.get(problem["code"], ()) for name in case.headers or {})


def is_unknowable(problem):
    """Whether what is right cannot be drawn from the schema."""
    source = problem.get("source", {})
    return (source.get("header") or source.get("parameter")) in UNKNOWABLE


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
    such as licences, unless the contract says how to create those. And says in JSON Schema what two keywords of
    the contract do.
    """
    for schema in raw_schema["components"]["schemas"].values():
        for member in schema.get("properties", {}).values():
            if member.get("x-no-control-characters"):
                member["pattern"] = "^[^\\x00-\\x1F\\x7F-\\x9F]*$"
    for schema in raw_schema["components"]["schemas"].values():
        if "x-absent-when-null" in schema:
            text = schema["additionalProperties"]
            names = {name: {"oneOf": [*text["oneOf"], {"type": "null"}]} for name in schema["x-absent-when-null"]}
            schema["properties"] = names
    license = raw_schema["paths"]["/api/v3/hxl/licenses/{id}"]["get"]["responses"]["200"]
    license["links"] = {"describe": {"operationId": "createHxlMetadata", "requestBody": {"license_id": "$response.body#/id"}}}


# How many there are of what HXL metadata refers to, and the largest identifier that the contract allows: users are made by
# scripts/lib/running-service.ts, licences come with the service.
REFERENCES = {"license_id": (8, 2**31 - 1), "user_id": (3, 2**53 - 1)}


@schemathesis.hook.apply_to(operation_id="createHxlMetadata")
def map_body(context, body):
    """Identifiers that the contract allows become ones that exist, or no record would ever be created."""
    if isinstance(body, dict):
        for name, (count, largest) in REFERENCES.items():
            identifier = body.get(name)
            if type(identifier) is int and 0 < identifier <= largest:
                body[name] = identifier % (count + 1) + 1
    return body
