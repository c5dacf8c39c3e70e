"""The round trip with the client of openapi-generator's python generator."""

import os

from openapi_client import ApiClient, ApiResponse, Configuration, HXLApi, SurveysApi
from openapi_client.exceptions import ApiException
from openapi_client.models import (
    EnabledLanguagesInput, ErrorBody, FieldControl, FieldInput, FieldInputId, FieldTranslation, FieldTranslationsValue,
    FieldType, HxlMetadataInput, HxlTag, ModelField, Survey, SurveyInput, SurveyResults, SurveyTranslation,
    SurveyTranslationsValue, Task, TaskInput, TaskInputId,
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


def etag(response: ApiResponse[SurveyResults]) -> str:
    # The names of the headers are as they came, in capital letters or not.
    headers = {name.lower(): value for name, value in (response.headers or {}).items()}
    return headers["etag"]


def refusal(error: ApiException) -> str:
    assert isinstance(error.data, ErrorBody)
    problems = []
    for problem in error.data.errors:
        pointer = problem.source and problem.source.pointer
        problems.append(f"{problem.code} at {pointer}" if pointer else problem.code)
    return f"{error.status} {', '.join(problems)}"


def title(label: str) -> FieldInput:
    return FieldInput(label=label, type=FieldType.TITLE, input=FieldControl.TEXT)


def field_input(field: ModelField) -> FieldInput:
    """A field as it is sent back. mypy accepts it because input and output share the types of their members."""
    return FieldInput(
        id=FieldInputId(field.id),
        label=field.label,
        type=field.type,
        input=field.input,
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
        id=TaskInputId(task.id),
        label=task.label,
        description=task.description,
        type=task.type,
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
    assert languages is not None
    return SurveyInput(
        name=survey.name,
        description=survey.description,
        base_language=survey.base_language,
        color=survey.color,
        type=survey.type,
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
                    type=FieldType.VARCHAR,
                    input=FieldControl.SELECT,
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

response = surveys.get_survey_with_http_info(created.id)
read = response.data.results[0]
task = tasks(read)[0]
settlement, access = task.fields
hint = access.config["hint"]
print(f"read {access.label}: {access.type.value} by {access.input.value}, {' or '.join(access.options)}, hint {hint}")
assert read.translations is not None
print(f"translated {read.translations['name'].actual_instance}: {spanish(read)}")
in_spanish, in_french = access.translations["es"].actual_instance, access.translations["fr"].actual_instance
assert isinstance(in_spanish, FieldTranslation) and isinstance(in_spanish.options, list)
assert isinstance(in_french, FieldTranslation) and isinstance(in_french.options, dict)
print(f"options es: {', '.join(in_spanish.options)}")
for index, text in in_french.options.items():
    print(f"options fr: {index} is {text}")

same = surveys.update_survey_with_http_info(created.id, survey_input(read), if_match=etag(response))
assert survey_input(same.data.results[0]) == survey_input(read)
# What is left out of a translation is read as None and sent back as null: this is a new state.
if_match = etag(same)

photo = FieldInput(id=FieldInputId("interim_id_2"), label="Photo", type=FieldType.MEDIA, input=FieldControl.IMAGE)
first, second = [task_input(task) for task in tasks(read)]
assert first.fields is not None
first.fields.append(photo)
change = SurveyInput(name="Flood report, second round", description=None, tasks=[first, second])
updated = surveys.update_survey(created.id, change, if_match=if_match).results[0]
fields = tasks(updated)[0].fields
print(f"updated {updated.name}: {', '.join(field.label for field in fields)}")
assert fields[0].key == settlement.key and updated.color == "#0B74B8"
if updated.description is None:
    print("+ null")
try:
    surveys.update_survey(created.id, change, if_match=if_match)
except ApiException as error:
    print(refusal(error))

page_of_surveys = surveys.list_surveys(only="name", hydrate="translations", orderby="id", order="DESC")
listed = next(survey for survey in page_of_surveys.results if survey.id == created.id)
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
words = FieldInput(label="Words", type=FieldType.TAGS, input=FieldControl.TAGS, response_private=True)
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
