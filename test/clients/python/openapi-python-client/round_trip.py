"""The round trip with the client of openapi-python-client."""

import os

from client import AuthenticatedClient
from client.api.hxl import create_hxl_metadata, get_hxl_metadata, list_hxl_licenses, list_hxl_tag_names, list_hxl_tags
from client.api.surveys import create_survey, delete_survey, get_survey, list_surveys, update_survey
from client.models import (
    EnabledLanguagesInput, ErrorBody, Field, FieldConfig, FieldControl, FieldInput, FieldTranslation, FieldTranslations,
    FieldType, HxlLicensePage, HxlMetadata, HxlMetadataInput, HxlTag, HxlTagPage, ListHxlTagsOrderby, ListSurveysOrderby,
    Survey, SurveyDeletion, SurveyInput, SurveyResults, SurveyTranslation, SurveyTranslations, Task, TaskInput,
)
from client.types import Unset

url = os.environ["API_URL"]
client = AuthenticatedClient(base_url=url, token=os.environ["API_TOKEN"])


def only(response: object) -> Survey:
    assert isinstance(response, SurveyResults)
    return response.results[0]


def tasks(survey: Survey) -> list[Task]:
    assert not isinstance(survey.tasks, Unset)
    return survey.tasks


def spanish(survey: Survey) -> str | None:
    assert not isinstance(survey.translations, Unset)
    texts = survey.translations["es"]
    assert isinstance(texts, SurveyTranslation) and not isinstance(texts.name, Unset)
    return texts.name


def refusal(status: int, response: object) -> str:
    assert isinstance(response, ErrorBody)
    problems = []
    for problem in response.errors:
        pointer = None if isinstance(problem.source, Unset) else problem.source.pointer
        problems.append(f"{problem.code} at {pointer}" if isinstance(pointer, str) else problem.code)
    return f"{status} {', '.join(problems)}"


def title(label: str) -> FieldInput:
    return FieldInput(label, FieldType.TITLE, FieldControl.TEXT)


def field_input(field: Field) -> FieldInput:
    """A field as it is sent back. mypy accepts it because input and output share the types of their members."""
    return FieldInput(
        id=field.id,
        label=field.label,
        type_=field.type_,
        input_=field.input_,
        description=field.description,
        instructions=field.instructions,
        default=field.default,
        priority=field.priority,
        required=field.required,
        response_private=field.response_private,
        cardinality=field.cardinality,
        config=field.config,
        options=field.options,
        translations=field.translations,
    )


def task_input(task: Task) -> TaskInput:
    return TaskInput(
        id=task.id,
        label=task.label,
        description=task.description,
        type_=task.type_,
        priority=task.priority,
        required=task.required,
        show_when_published=task.show_when_published,
        task_is_internal_only=task.task_is_internal_only,
        is_public=task.is_public,
        translations=task.translations,
        fields=[field_input(field) for field in task.fields],
    )


def survey_input(survey: Survey) -> SurveyInput:
    languages = survey.enabled_languages
    assert not isinstance(languages, Unset)
    return SurveyInput(
        name=survey.name,
        description=survey.description,
        base_language=survey.base_language,
        color=survey.color,
        type_=survey.type_,
        require_approval=survey.require_approval,
        everyone_can_create=survey.everyone_can_create,
        disabled=survey.disabled,
        hide_author=survey.hide_author,
        hide_time=survey.hide_time,
        hide_location=survey.hide_location,
        targeted_survey=survey.targeted_survey,
        can_create=survey.can_create,
        translations=survey.translations,
        enabled_languages=EnabledLanguagesInput(default=languages.default, available=languages.available),
        tasks=[task_input(task) for task in tasks(survey)],
    )


texts = SurveyTranslations()
texts["name"] = "Flood report"
texts["es"] = SurveyTranslation(name="Informe de inundación")
config = FieldConfig()
config["hint"] = "Main road"
choices = FieldTranslations()
choices["es"] = FieldTranslation(options=["En auto", "A pie"])
choices["fr"] = FieldTranslation(options={"1": "À pied"})
access_input = FieldInput(
    id="interim_id_1",
    label="Access",
    type_=FieldType.VARCHAR,
    input_=FieldControl.SELECT,
    config=config,
    options=["By car", "On foot"],
    translations=choices,
)
body = SurveyInput(
    name="Flood report",
    description="One report for each settlement.",
    color="0B74B8",
    translations=texts,
    tasks=[
        TaskInput("Situation report", fields=[title("Settlement"), access_input]),
        TaskInput("Verification", id=None),
    ],
)
created = only(create_survey.sync(client=client, body=body))
print(f"created {created.name} {created.color} with {len(tasks(created))} tasks")

response = get_survey.sync_detailed(created.id, client=client)
read, etag = only(response.parsed), response.headers["ETag"]
task = tasks(read)[0]
settlement, access = task.fields
hint = access.config["hint"]
print(f"read {access.label}: {access.type_} by {access.input_}, {' or '.join(access.options)}, hint {hint}")
assert not isinstance(read.translations, Unset)
print(f"translated {read.translations['name']}: {spanish(read)}")
in_spanish, in_french = access.translations["es"], access.translations["fr"]
assert isinstance(in_spanish, FieldTranslation) and isinstance(in_spanish.options, list)
assert isinstance(in_french, FieldTranslation) and isinstance(in_french.options, dict)
print(f"options es: {', '.join(in_spanish.options)}")
for index, text in in_french.options.items():
    print(f"options fr: {index} is {text}")

same = update_survey.sync_detailed(created.id, client=client, body=survey_input(read), if_match=etag)
assert same.headers["ETag"] == etag

photo = FieldInput("Photo", FieldType.MEDIA, FieldControl.IMAGE, id="interim_id_2")
first, second = [task_input(task) for task in tasks(read)]
assert not isinstance(first.fields, Unset)
first.fields.append(photo)
change = SurveyInput(name="Flood report, second round", description=None, tasks=[first, second])
updated = only(update_survey.sync(created.id, client=client, body=change, if_match=etag))
fields = tasks(updated)[0].fields
print(f"updated {updated.name}: {', '.join(field.label for field in fields)}")
assert fields[0].key == settlement.key and updated.color == "#0B74B8"
if updated.description is None:
    print("+ null")
late = update_survey.sync_detailed(created.id, client=client, body=change, if_match=etag)
print(refusal(late.status_code, late.parsed))

surveys = list_surveys.sync(
    client=client, only="name", hydrate="translations", orderby=ListSurveysOrderby.ID, order="DESC"
)
assert isinstance(surveys, SurveyResults)
listed = next(survey for survey in surveys.results if survey.id == created.id)
assert isinstance(listed.tasks, Unset)
print(f"listed {listed.name}: {spanish(listed)}")

tags: list[HxlTag] = []
pages, total = 0, 1
while len(tags) < total:
    page = list_hxl_tags.sync(client=client, limit=20, offset=len(tags), orderby=ListHxlTagsOrderby.TAG_NAME)
    assert isinstance(page, HxlTagPage)
    tags += page.results
    pages, total = pages + 1, page.total_count
attributes = tags[0].hxl_attributes.additional_properties
print(f"tags {len(tags)} on {pages} pages, {tags[0].tag_name} has {len(attributes)} attributes")

licenses = list_hxl_licenses.sync(client=client, code="cc-by")
assert isinstance(licenses, HxlLicensePage)
dataset = HxlMetadataInput(
    dataset_title="Flood reports of March",
    source="Field teams",
    license_id=licenses.results[0].id,
    organisation_id="red-cross-x",
    organisation_name="Red Cross X",
    private=False,
)
added = create_hxl_metadata.sync(client=client, body=dataset)
assert isinstance(added, HxlMetadata)
metadata = get_hxl_metadata.sync(added.id, client=client)
assert isinstance(metadata, HxlMetadata) and metadata.updated is None and metadata.user.id > 0
print(f"metadata {metadata.dataset_title} under {licenses.results[0].code}")

stranger = AuthenticatedClient(base_url=url, token="unknown")
unauthorised = list_hxl_tag_names.sync_detailed(client=stranger)
print(refusal(unauthorised.status_code, unauthorised.parsed))
words = FieldInput("Words", FieldType.TAGS, FieldControl.TAGS, response_private=True)
faulty = SurveyInput(tasks=[TaskInput("Situation report", fields=[title("Settlement"), title("District"), words])])
unprocessable = create_survey.sync_detailed(client=client, body=faulty)
print(refusal(unprocessable.status_code, unprocessable.parsed))

deletion = delete_survey.sync(created.id, client=client)
assert isinstance(deletion, SurveyDeletion) and deletion.result.deleted == created.id
print("deleted")
gone = get_survey.sync_detailed(created.id, client=client)
print(refusal(gone.status_code, gone.parsed))
print("+ typed errors")
