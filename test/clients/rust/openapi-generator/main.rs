//! The round trip with openapi-generator's rust client, library reqwest.
#![deny(warnings)]

use openapi::apis::{Error, configuration::Configuration, hxl_api as hxl, surveys_api as surveys};
use openapi::models::{
    EnabledLanguagesInput, ErrorBody, Field, FieldControl, FieldInput, FieldInputId, FieldTranslation,
    FieldTranslationsValue, FieldType, HxlMetadataInput, Survey, SurveyInput, SurveyResults, SurveyTranslation,
    SurveyTranslationsValue, Task, TaskInput, TaskInputId,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::env;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn refused<T, E>(answer: Result<T, Error<E>>) -> Outcome<()> {
    let Err(Error::ResponseError(refusal)) = answer else { panic!("this is not a refusal") };
    let body: ErrorBody = serde_json::from_str(&refusal.content)?;
    let problems =
        body.errors.iter().map(|problem| match problem.source.as_ref().and_then(|source| source.pointer.as_ref()) {
            Some(pointer) => format!("{} at {pointer}", problem.code),
            None => problem.code.clone(),
        });
    println!("{} {}", refusal.status.as_u16(), problems.collect::<Vec<_>>().join(", "));
    Ok(())
}

/// A survey and its ETag. The client hides the headers of responses, so this request is made with the HTTP client under it.
async fn read_survey(config: &Configuration, id: i64) -> Outcome<(Survey, String)> {
    let token = config.bearer_access_token.as_ref().unwrap();
    let request = config.client.get(format!("{}/api/v5/surveys/{id}", config.base_path)).bearer_auth(token);
    let response = request.send().await?.error_for_status()?;
    let etag = response.headers()["ETag"].to_str()?.to_owned();
    Ok((response.json::<SurveyResults>().await?.results.remove(0), etag))
}

fn field(label: &str, kind: FieldType, input: FieldControl) -> FieldInput {
    FieldInput::new(label.into(), kind, input)
}

/// A field as it is sent back. It compiles because input and output share the types of their members.
fn field_input(field: Field) -> FieldInput {
    FieldInput {
        id: Some(Some(FieldInputId::Integer(field.id))),
        description: Some(field.description),
        instructions: Some(field.instructions),
        default: Some(field.default),
        priority: Some(field.priority),
        required: Some(field.required),
        response_private: Some(field.response_private),
        cardinality: Some(field.cardinality),
        config: Some(field.config),
        options: Some(field.options),
        translations: Some(field.translations),
        ..FieldInput::new(field.label, field.r#type, field.input)
    }
}

fn task_input(task: Task) -> TaskInput {
    TaskInput {
        id: Some(Some(TaskInputId::Integer(task.id))),
        description: Some(task.description),
        r#type: Some(task.r#type),
        priority: Some(task.priority),
        required: Some(task.required),
        show_when_published: Some(task.show_when_published),
        task_is_internal_only: Some(task.task_is_internal_only),
        is_public: Some(task.is_public),
        translations: Some(task.translations),
        fields: Some(task.fields.into_iter().map(field_input).collect()),
        ..TaskInput::new(task.label)
    }
}

fn survey_input(survey: Survey) -> SurveyInput {
    let languages = survey.enabled_languages.unwrap();
    SurveyInput {
        name: survey.name,
        description: survey.description,
        base_language: survey.base_language,
        color: survey.color,
        r#type: survey.r#type,
        require_approval: survey.require_approval,
        everyone_can_create: survey.everyone_can_create,
        disabled: survey.disabled,
        hide_author: survey.hide_author,
        hide_time: survey.hide_time,
        hide_location: survey.hide_location,
        targeted_survey: survey.targeted_survey,
        can_create: survey.can_create,
        translations: survey.translations,
        enabled_languages: Some(EnabledLanguagesInput {
            default: Some(languages.default),
            available: Some(languages.available),
        }),
        tasks: survey.tasks.map(|tasks| tasks.into_iter().map(task_input).collect()),
        ..Default::default()
    }
}

fn texts(options: Value) -> FieldTranslationsValue {
    FieldTranslationsValue::FieldTranslation(FieldTranslation { options: Some(Some(options)), ..Default::default() })
}

fn draft(id: &str) -> Option<Option<FieldInputId>> {
    Some(Some(FieldInputId::String(id.into())))
}

fn spanish(survey: &Survey) -> &str {
    match &survey.translations.as_ref().unwrap()["es"] {
        SurveyTranslationsValue::SurveyTranslation(texts) => texts.name.as_ref().unwrap().as_ref().unwrap(),
        SurveyTranslationsValue::String(text) => panic!("{text} is beside the languages"),
    }
}

fn options<'a>(field: &'a Field, language: &str) -> &'a Value {
    match &field.translations[language] {
        FieldTranslationsValue::FieldTranslation(texts) => texts.options.as_ref().unwrap().as_ref().unwrap(),
        FieldTranslationsValue::String(text) => panic!("{text} is beside the languages"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let stranger = Configuration { base_path: env::var("API_URL")?, ..Default::default() };
    let config = Configuration { bearer_access_token: Some(env::var("API_TOKEN")?), ..stranger.clone() };

    let place = field("Settlement", FieldType::Title, FieldControl::Text);
    let question = FieldInput {
        id: draft("interim_id_1"),
        config: Some(HashMap::from([("hint".into(), json!("Main road"))])),
        options: Some(vec![json!("By car"), json!("On foot")]),
        translations: Some(HashMap::from([
            ("es".into(), texts(json!(["En auto", "A pie"]))),
            ("fr".into(), texts(json!({ "1": "À pied" }))),
        ])),
        ..field("Access", FieldType::Varchar, FieldControl::Select)
    };
    let es = SurveyTranslation { name: Some(Some("Informe de inundación".into())), ..Default::default() };
    let body = SurveyInput {
        name: Some("Flood report".into()),
        description: Some(Some("One report for each settlement.".into())),
        color: Some(Some("0B74B8".into())),
        translations: Some(HashMap::from([
            ("name".into(), SurveyTranslationsValue::String("Flood report".into())),
            ("es".into(), SurveyTranslationsValue::SurveyTranslation(es)),
        ])),
        tasks: Some(vec![
            TaskInput { fields: Some(vec![place.clone(), question]), ..TaskInput::new("Situation report".into()) },
            TaskInput { id: Some(None), ..TaskInput::new("Verification".into()) },
        ]),
        ..Default::default()
    };
    let created = surveys::create_survey(&config, body, None).await?.results.remove(0);
    let color = created.color.unwrap().unwrap();
    println!("created {} {color} with {} tasks", created.name.unwrap(), created.tasks.unwrap().len());
    let id = created.id;

    let (read, etag) = read_survey(&config, id).await?;
    let task = &read.tasks.as_ref().unwrap()[0];
    let [settlement, access] = &task.fields[..] else { panic!("there are two fields") };
    let choices = access.options.iter().map(text).collect::<Vec<_>>().join(" or ");
    println!(
        "read {}: {} by {}, {choices}, hint {}",
        access.label,
        access.r#type,
        access.input,
        text(&access.config["hint"])
    );
    let SurveyTranslationsValue::String(beside) = &read.translations.as_ref().unwrap()["name"] else { panic!("no text") };
    println!("translated {beside}: {}", spanish(&read));
    println!("options es: {}, {}", text(&options(access, "es")[0]), text(&options(access, "es")[1]));
    println!("options fr: 1 is {}", text(&options(access, "fr")["1"]));

    let whole = survey_input(read.clone());
    surveys::update_survey(&config, id, whole.clone(), Some(&etag), None, None, None).await?;
    // The translations are a map without an order, so they may have come in another one: this is a new state.
    let (same, etag) = read_survey(&config, id).await?;
    assert_eq!(same, Survey { updated: same.updated, ..read.clone() });

    let photo = FieldInput { id: draft("interim_id_2"), ..field("Photo", FieldType::Media, FieldControl::Image) };
    let mut tasks = whole.tasks.unwrap();
    tasks[0].fields.as_mut().unwrap().push(photo);
    let change = SurveyInput {
        name: Some("Flood report, second round".into()),
        description: Some(None),
        tasks: Some(tasks),
        ..Default::default()
    };
    let answer = surveys::update_survey(&config, id, change.clone(), Some(&etag), None, None, None);
    let updated = answer.await?.results.remove(0);
    let fields = &updated.tasks.as_ref().unwrap()[0].fields;
    println!("updated {}: {}, {}, {}", updated.name.unwrap(), fields[0].label, fields[1].label, fields[2].label);
    assert_eq!(fields[0].key, settlement.key);
    assert_eq!(updated.color, Some(Some("#0B74B8".into())));
    if updated.description == Some(None) {
        println!("+ null");
    }
    refused(surveys::update_survey(&config, id, change, Some(&etag), None, None, None).await)?;

    let answer = surveys::list_surveys(
        &config,
        Some("name"),
        Some("translations"),
        None,
        None,
        Some("id"),
        Some("DESC"),
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    );
    let listed = answer.await?.results.into_iter().find(|survey| survey.id == id).unwrap();
    assert!(listed.tasks.is_none());
    println!("listed {}: {}", listed.name.as_ref().unwrap(), spanish(&listed));

    let (mut tags, mut pages, mut total) = (vec![], 0, 1);
    while tags.len() < total {
        let offset = i32::try_from(tags.len())?;
        let page = hxl::list_hxl_tags(&config, Some("tag_name"), None, Some(20), Some(offset), None, None, None, None, None)
            .await?;
        tags.extend(page.results);
        total = page.total_count.try_into()?;
        pages += 1;
    }
    println!("tags {} on {pages} pages, {} has {} attributes", tags.len(), tags[0].tag_name, tags[0].hxl_attributes.len());

    let licenses = hxl::list_hxl_licenses(&config, None, Some("cc-by"), None, None, None, None, None, None).await?;
    let license = &licenses.results[0];
    let dataset = HxlMetadataInput::new(
        "Flood reports of March".into(),
        license.id.try_into()?,
        "red-cross-x".into(),
        "Red Cross X".into(),
        "Field teams".into(),
        false,
    );
    let added = hxl::create_hxl_metadata(&config, dataset, None).await?;
    let metadata = hxl::get_hxl_metadata(&config, added.id, None, None, None, None, None).await?;
    assert!(metadata.updated.is_none() && metadata.user.id > 0);
    println!("metadata {} under {}", metadata.dataset_title, license.code);

    refused(hxl::list_hxl_tag_names(&stranger, None, None).await)?;
    let words = FieldInput { response_private: Some(true), ..field("Words", FieldType::Tags, FieldControl::Tags) };
    let faulty = TaskInput { fields: Some(vec![place.clone(), place, words]), ..TaskInput::new("Situation report".into()) };
    refused(surveys::create_survey(&config, SurveyInput { tasks: Some(vec![faulty]), ..Default::default() }, None).await)?;

    assert_eq!(surveys::delete_survey(&config, id, None, None, None, None).await?.result.deleted, id);
    println!("deleted");
    refused(surveys::get_survey(&config, id, None, None, None, None, None, None, None).await)
}
