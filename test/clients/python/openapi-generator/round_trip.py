"""The round trip with the client of openapi-generator's python generator."""

import os

from openapi_client import ApiClient, Configuration, HXLApi, SurveysApi
from openapi_client.exceptions import ApiException
from openapi_client.models import (
    ErrorBody, FieldInput, FieldInputId, FieldTranslation, FieldTranslationsValue, HxlMetadataInput, HxlTag, Survey,
    SurveyInput, SurveyTranslation, SurveyTranslationsValue, Task, TaskInput, TaskInputId,
)

url = os.environ["API_URL"]
client = ApiClient(Configuration(host=url, access_token=os.environ["API_TOKEN"]))
surveys, hxl = SurveysApi(client), HXLApi(client)


def tasks(survey: Survey) -> list[Task]:
    assert survey.tasks is not None
    return survey.tasks


def spanish(survey: Survey) -> str | None:
    assert survey.translations is not None
    texts = survey.translations["es"].actual_instance
    assert isinstance(texts, SurveyTranslation)
    return texts.name


def refusal(error: ApiException) -> str:
    assert isinstance(error.data, ErrorBody)
    problems = []
    for problem in error.data.errors:
        pointer = problem.source and problem.source.pointer
        problems.append(f"{problem.code} at {pointer}" if pointer else problem.code)
    return f"{error.status} {', '.join(problems)}"


def title(label: str) -> FieldInput:
    return FieldInput(label=label, type="title", input="text")


body = SurveyInput(
    name="Flood report",
    description="One report for each settlement.",
    color="0B74B8",
    translations={
        "name": SurveyTranslationsValue("Flood report"),
        "es": SurveyTranslationsValue(SurveyTranslation(name="Informe de inundación")),
    },
    tasks=[
        TaskInput(
            label="Situation report",
            fields=[
                title("Settlement"),
                FieldInput(
                    id=FieldInputId("interim_id_1"),
                    label="Access",
                    type="varchar",
                    input="select",
                    config={"hint": "Main road"},
                    options=["By car", "On foot"],
                    translations={
                        "es": FieldTranslationsValue(FieldTranslation(options=["En auto", "A pie"])),
                        "fr": FieldTranslationsValue(FieldTranslation(options={"1": "À pied"})),
                    },
                ),
            ],
        ),
        TaskInput(label="Verification", id=None),
    ],
)
created = surveys.create_survey(body).results[0]
print(f"created {created.name} {created.color} with {len(tasks(created))} tasks")

read = surveys.get_survey(created.id).results[0]
task = tasks(read)[0]
settlement, access = task.fields
hint = access.config["hint"]
print(f"read {access.label}: {access.type} by {access.input}, {' or '.join(access.options)}, hint {hint}")
assert read.translations is not None
print(f"translated {read.translations['name'].actual_instance}: {spanish(read)}")
in_spanish, in_french = access.translations["es"].actual_instance, access.translations["fr"].actual_instance
assert isinstance(in_spanish, FieldTranslation) and isinstance(in_spanish.options, list)
assert isinstance(in_french, FieldTranslation) and isinstance(in_french.options, dict)
print(f"options es: {', '.join(in_spanish.options)}")
for index, text in in_french.options.items():
    print(f"options fr: {index} is {text}")

kept = title(settlement.label)
kept.id = FieldInputId(settlement.id)
photo = FieldInput(id=FieldInputId("interim_id_2"), label="Photo", type="media", input="image")
change = SurveyInput(
    name="Flood report, second round",
    description=None,
    tasks=[TaskInput(id=TaskInputId(task.id), label=task.label, fields=[kept, photo])],
)
updated = surveys.update_survey(created.id, change).results[0]
fields = tasks(updated)[0].fields
print(f"updated {updated.name}: {', '.join(field.label for field in fields)}")
assert fields[0].key == settlement.key and updated.color == "#0B74B8"
if updated.description is None:
    print("+ null")

response = surveys.list_surveys(only="name", hydrate="translations", orderby="id", order="DESC")
listed = next(survey for survey in response.results if survey.id == created.id)
assert listed.tasks is None
print(f"listed {listed.name}: {spanish(listed)}")

tags: list[HxlTag] = []
pages, total = 0, 1
while len(tags) < total:
    page = hxl.list_hxl_tags(limit=20, offset=len(tags), orderby="tag_name")
    tags += page.results
    pages, total = pages + 1, page.total_count
print(f"tags {len(tags)} on {pages} pages, {tags[0].tag_name} has {len(tags[0].hxl_attributes)} attributes")

license = hxl.list_hxl_licenses(code="cc-by").results[0]
dataset = HxlMetadataInput(
    dataset_title="Flood reports of March",
    source="Field teams",
    license_id=license.id,
    organisation_id="red-cross-x",
    organisation_name="Red Cross X",
    private=False,
)
metadata = hxl.get_hxl_metadata(hxl.create_hxl_metadata(dataset).id)
assert metadata.updated is None and metadata.user.id > 0 and metadata.license_id == license.id
print(f"metadata {metadata.dataset_title} under {license.code}")

try:
    HXLApi(ApiClient(Configuration(host=url))).list_hxl_tag_names()
except ApiException as error:
    print(refusal(error))
words = FieldInput(label="Words", type="tags", input="tags", response_private=True)
try:
    faulty = TaskInput(label="Situation report", fields=[title("Settlement"), title("District"), words])
    surveys.create_survey(SurveyInput(tasks=[faulty]))
except ApiException as error:
    print(refusal(error))

assert surveys.delete_survey(created.id).result.deleted == created.id
print("deleted")
try:
    surveys.get_survey(created.id)
except ApiException as error:
    print(refusal(error))
print("+ typed errors")
