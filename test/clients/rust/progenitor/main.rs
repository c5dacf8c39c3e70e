//! The round trip with the client of progenitor, with builders.
#![deny(warnings)]

use client::types::{
    EnabledLanguagesInput, ErrorBody, Field, FieldControl, FieldInput, FieldInputId, FieldTranslation,
    FieldTranslationsValue, FieldType, HxlMetadataInput, ListHxlTagsOrderby, ListSurveysOrderby, Survey, SurveyInput,
    SurveyTranslation, SurveyTranslationsValue, Task, TaskInput, TaskInputId, TranslatedOptions, builder,
};
use client::{Client, Error};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::env;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn refused<T>(answer: Result<T, Error<ErrorBody>>) {
    let Err(Error::ErrorResponse(refusal)) = answer else { panic!("this is not a refusal") };
    let problems =
        refusal.errors.iter().map(|problem| match problem.source.as_ref().and_then(|source| source.pointer.as_ref()) {
            Some(pointer) => format!("{} at {pointer}", problem.code),
            None => problem.code.clone(),
        });
    println!("{} {}", refusal.status().as_u16(), problems.collect::<Vec<_>>().join(", "));
}

fn field(label: &str, kind: FieldType, input: FieldControl) -> builder::FieldInput {
    FieldInput::builder().label(label).type_(kind).input(input)
}

/// A text as it is sent: what has bounds there has a type that holds them.
fn bounded<T: TryFrom<String>>(text: Option<String>) -> Result<Option<T>, T::Error> {
    text.map(T::try_from).transpose()
}

fn all_bounded<T: TryFrom<String>>(texts: Vec<String>) -> Result<Vec<T>, T::Error> {
    texts.into_iter().map(T::try_from).collect()
}

/// A field as it is sent back. It compiles because input and output share the types of their other members.
fn field_input(field: Field) -> Outcome<FieldInput> {
    Ok(FieldInput {
        id: Some(FieldInputId::Variant0(Some(field.id))),
        label: field.label.try_into()?,
        type_: field.type_,
        input: field.input,
        description: bounded(field.description)?,
        instructions: bounded(field.instructions)?,
        default: bounded(field.default)?,
        priority: Some(field.priority),
        required: Some(field.required),
        response_private: Some(field.response_private),
        cardinality: Some(field.cardinality),
        config: Some(field.config),
        options: field.options,
        form_stage_id: None,
        translations: Some(field.translations),
    })
}

fn task_input(task: Task) -> Outcome<TaskInput> {
    Ok(TaskInput {
        id: Some(TaskInputId::Variant0(Some(task.id))),
        label: task.label.try_into()?,
        description: bounded(task.description)?,
        type_: Some(task.type_),
        priority: Some(task.priority),
        required: Some(task.required),
        show_when_published: Some(task.show_when_published),
        task_is_internal_only: Some(task.task_is_internal_only),
        is_public: Some(task.is_public),
        translations: Some(task.translations),
        fields: task.fields.into_iter().map(field_input).collect::<Outcome<_>>()?,
    })
}

fn survey_input(survey: Survey) -> Outcome<SurveyInput> {
    let languages = survey.enabled_languages.unwrap();
    Ok(SurveyInput {
        name: bounded(survey.name)?,
        description: bounded(survey.description)?,
        base_language: bounded(survey.base_language)?,
        color: bounded(survey.color)?,
        type_: bounded(survey.type_)?,
        require_approval: survey.require_approval,
        everyone_can_create: survey.everyone_can_create,
        disabled: survey.disabled,
        hide_author: survey.hide_author,
        hide_time: survey.hide_time,
        hide_location: survey.hide_location,
        targeted_survey: survey.targeted_survey,
        can_create: all_bounded(survey.can_create)?,
        translations: survey.translations,
        enabled_languages: Some(EnabledLanguagesInput {
            default: Some(languages.default.try_into()?),
            available: all_bounded(languages.available)?,
        }),
        tasks: survey.tasks.into_iter().map(task_input).collect::<Outcome<_>>()?,
        status: None,
        message: None,
    })
}

fn etag(headers: &HeaderMap) -> Outcome<String> {
    Ok(headers["ETag"].to_str()?.to_owned())
}

fn texts(options: Value) -> Outcome<FieldTranslationsValue> {
    let texts: FieldTranslation = FieldTranslation::builder().options(TranslatedOptions(options)).try_into()?;
    Ok(texts.into())
}

fn draft(id: &str) -> Outcome<Option<FieldInputId>> {
    Ok(Some(FieldInputId::Variant1(id.parse()?)))
}

fn spanish(survey: &Survey) -> &str {
    match &survey.translations.as_ref().unwrap()["es"] {
        SurveyTranslationsValue::SurveyTranslation(texts) => texts.name.as_ref().unwrap(),
        SurveyTranslationsValue::String(text) => panic!("{text:?} is beside the languages"),
    }
}

fn options<'a>(field: &'a Field, language: &str) -> &'a Value {
    match &field.translations[language] {
        FieldTranslationsValue::FieldTranslation(texts) => texts.options.as_ref().unwrap(),
        FieldTranslationsValue::String(text) => panic!("{text:?} is beside the languages"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = env::var("API_URL")?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, format!("Bearer {}", env::var("API_TOKEN")?).parse()?)]);
    let client = Client::new_with_client(&url, reqwest::Client::builder().default_headers(headers).build()?);

    let place = || field("Settlement", FieldType::Title, FieldControl::Text).try_into();
    let question = field("Access", FieldType::Varchar, FieldControl::Select)
        .id(draft("interim_id_1")?)
        .config(Some(serde_json::Map::from_iter([("hint".to_owned(), json!("Main road"))]).into()))
        .options([json!("By car"), json!("On foot")])
        .translations(Some(
            HashMap::from([
                ("es".to_owned(), texts(json!(["En auto", "A pie"]))?),
                ("fr".to_owned(), texts(json!({ "1": "À pied" }))?),
            ])
            .into(),
        ))
        .try_into()?;
    let es: SurveyTranslation = SurveyTranslation::builder().name(Some("Informe de inundación".parse()?)).try_into()?;
    let beside = SurveyTranslationsValue::String("Flood report".parse()?);
    let body = SurveyInput::builder()
        .name(Some("Flood report".parse()?))
        .description(Some("One report for each settlement.".parse()?))
        .color(Some("0B74B8".parse()?))
        .translations(Some(HashMap::from([("name".to_owned(), beside), ("es".to_owned(), es.into())]).into()))
        .tasks([
            TaskInput::builder().label("Situation report").fields([place()?, question]).try_into()?,
            TaskInput::builder().label("Verification").id(None).try_into()?,
        ]);
    let created = client.create_survey().body(body).send().await?.into_inner().results.remove(0);
    let (name, color) = (created.name.unwrap(), created.color.unwrap());
    println!("created {name} {color} with {} tasks", created.tasks.len());
    let id = created.id;

    let response = client.get_survey().id(id).send().await?;
    let if_match = etag(response.headers())?;
    let read = response.into_inner().results.remove(0);
    let task = &read.tasks[0];
    let [settlement, access] = &task.fields[..] else { panic!("there are two fields") };
    let choices = format!("{} or {}", text(&access.options[0]), text(&access.options[1]));
    println!(
        "read {}: {} by {}, {choices}, hint {}",
        access.label,
        access.type_,
        access.input,
        text(&access.config["hint"])
    );
    let SurveyTranslationsValue::String(beside) = &read.translations.as_ref().unwrap()["name"] else { panic!("no text") };
    println!("translated {}: {}", **beside, spanish(&read));
    println!("options es: {}, {}", text(&options(access, "es")[0]), text(&options(access, "es")[1]));
    println!("options fr: 1 is {}", text(&options(access, "fr")["1"]));

    let whole = survey_input(read.clone())?;
    let same = client.update_survey().id(id).if_match(&*if_match).body(whole.clone()).send().await?;
    // The translations are a map without an order, so they may have come in another one: this is a new state.
    let if_match = etag(same.headers())?;
    let same = same.into_inner().results.remove(0);
    assert_eq!(json!(survey_input(same)?), json!(whole));

    let mut tasks = whole.tasks;
    tasks[0].fields.push(field("Photo", FieldType::Media, FieldControl::Image).id(draft("interim_id_2")?).try_into()?);
    let change = SurveyInput::builder().name(Some("Flood report, second round".parse()?)).tasks(tasks);
    let send = || client.update_survey().id(id).if_match(&*if_match).body(change.clone()).send();
    let updated = send().await?.into_inner().results.remove(0);
    let fields = &updated.tasks[0].fields;
    println!("updated {}: {}, {}, {}", updated.name.unwrap(), fields[0].label, fields[1].label, fields[2].label);
    assert_eq!(fields[0].key, settlement.key);
    assert_eq!(updated.color.as_deref(), Some("#0B74B8"));
    refused(send().await);

    let listed = client.list_surveys().only("name").hydrate("translations").orderby(ListSurveysOrderby::Id).order("DESC");
    let listed = listed.send().await?.into_inner().results.into_iter().find(|survey| survey.id == created.id).unwrap();
    assert!(listed.tasks.is_empty());
    println!("listed {}: {}", listed.name.as_ref().unwrap(), spanish(&listed));

    let (mut tags, mut pages, mut total) = (vec![], 0, 1);
    while tags.len() < total {
        let page = client.list_hxl_tags().limit(20).offset(i32::try_from(tags.len())?).orderby(ListHxlTagsOrderby::TagName);
        let page = page.send().await?.into_inner();
        tags.extend(page.results);
        total = page.total_count.try_into()?;
        pages += 1;
    }
    println!("tags {} on {pages} pages, {} has {} attributes", tags.len(), tags[0].tag_name, tags[0].hxl_attributes.len());

    let license = client.list_hxl_licenses().code("cc-by").send().await?.into_inner().results.remove(0);
    let dataset = HxlMetadataInput::builder()
        .dataset_title("Flood reports of March")
        .source("Field teams")
        .license_id(u32::try_from(license.id)?)
        .organisation_id("red-cross-x")
        .organisation_name("Red Cross X")
        .private(false);
    let added = client.create_hxl_metadata().body(dataset).send().await?;
    let metadata = client.get_hxl_metadata().id(u64::try_from(added.id)?).send().await?;
    assert!(metadata.updated.is_none() && metadata.user.id > 0);
    println!("metadata {} under {}", metadata.dataset_title, license.code);

    refused(Client::new(&url).list_hxl_tag_names().send().await);
    let words = field("Words", FieldType::Tags, FieldControl::Tags).response_private(true).try_into()?;
    let faulty = TaskInput::builder().label("Situation report").fields([place()?, place()?, words]).try_into()?;
    refused(client.create_survey().body(SurveyInput::builder().tasks([faulty])).send().await);

    assert_eq!(client.delete_survey().id(id).send().await?.result.deleted, created.id);
    println!("deleted");
    refused(client.get_survey().id(id).send().await);
    println!("+ typed errors");
    Ok(())
}
