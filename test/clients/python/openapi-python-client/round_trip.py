"""The round trip with the client of openapi-python-client."""

import os

from client import AuthenticatedClient
from client.api.hxl import create_hxl_metadata, get_hxl_metadata, list_hxl_licenses, list_hxl_tag_names, list_hxl_tags
from client.api.surveys import create_survey, delete_survey, get_survey, list_surveys, update_survey
from client.models import (
    ErrorBody, FieldInput, FieldInputConfig, FieldInputInput, FieldInputType, FieldTranslation, FieldTranslations,
    HxlLicensePage, HxlMetadata, HxlMetadataInput, HxlTag, HxlTagPage, ListHxlTagsOrderby, ListSurveysOrderby, Survey,
    SurveyDeletion, SurveyInput, SurveyResults, SurveyTranslation, SurveyTranslations, Task, TaskInput,
)
from client.types import Unset

url = os.environ["API_URL"]
client = AuthenticatedClient(base_url=url, token=os.environ["API_TOKEN"])


def only(response: SurveyResults | ErrorBody | None) -> Survey:
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
    return FieldInput(label, FieldInputType.TITLE, FieldInputInput.TEXT)


texts = SurveyTranslations()
texts["name"] = "Flood report"
texts["es"] = SurveyTranslation(name="Informe de inundación")
config = FieldInputConfig()
config["hint"] = "Main road"
choices = FieldTranslations()
choices["es"] = FieldTranslation(options=["En auto", "A pie"])
choices["fr"] = FieldTranslation(options={"1": "À pied"})
access_input = FieldInput(
    id="interim_id_1",
    label="Access",
    type_=FieldInputType.VARCHAR,
    input_=FieldInputInput.SELECT,
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

read = only(get_survey.sync(created.id, client=client))
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

photo = FieldInput("Photo", FieldInputType.MEDIA, FieldInputInput.IMAGE, id="interim_id_2")
kept = title(settlement.label)
kept.id = settlement.id
change = SurveyInput(
    name="Flood report, second round", description=None, tasks=[TaskInput(task.label, id=task.id, fields=[kept, photo])]
)
updated = only(update_survey.sync(created.id, client=client, body=change))
fields = tasks(updated)[0].fields
print(f"updated {updated.name}: {', '.join(field.label for field in fields)}")
assert fields[0].key == settlement.key and updated.color == "#0B74B8"
if updated.description is None:
    print("+ null")

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
words = FieldInput("Words", FieldInputType.TAGS, FieldInputInput.TAGS, response_private=True)
faulty = SurveyInput(tasks=[TaskInput("Situation report", fields=[title("Settlement"), title("District"), words])])
unprocessable = create_survey.sync_detailed(client=client, body=faulty)
print(refusal(unprocessable.status_code, unprocessable.parsed))

deletion = delete_survey.sync(created.id, client=client)
assert isinstance(deletion, SurveyDeletion) and deletion.result.deleted == created.id
print("deleted")
gone = get_survey.sync_detailed(created.id, client=client)
print(refusal(gone.status_code, gone.parsed))
print("+ typed errors")
