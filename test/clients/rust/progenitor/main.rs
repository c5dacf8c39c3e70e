//! The round trip with the client of progenitor, with builders.
#![deny(warnings)]

use client::types::{
    ErrorBody, Field, FieldInput, FieldInputId, FieldInputInput as Input, FieldInputType as Type, FieldTranslation,
    FieldTranslationsValue, HxlMetadataInput, ListHxlTagsOrderby, ListSurveysOrderby, Survey, SurveyInput,
    SurveyTranslation, SurveyTranslationsValue, TaskInput, TaskInputId, TranslatedOptions, builder,
};
use client::{Client, Error};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::env;
use std::num::NonZeroU64;

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

fn field(label: &str, kind: Type, input: Input) -> builder::FieldInput {
    FieldInput::builder().label(label).type_(kind).input(input)
}

fn texts(options: Value) -> Outcome<FieldTranslationsValue> {
    let texts: FieldTranslation = FieldTranslation::builder().options(TranslatedOptions(options)).try_into()?;
    Ok(texts.into())
}

fn draft(id: &str) -> Outcome<Option<FieldInputId>> {
    Ok(Some(FieldInputId::Variant1(id.parse()?)))
}

fn known(id: i64) -> Outcome<Option<NonZeroU64>> {
    Ok(Some(u64::try_from(id)?.try_into()?))
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

    let place = || field("Settlement", Type::Title, Input::Text).try_into();
    let question = field("Access", Type::Varchar, Input::Select)
        .id(draft("interim_id_1")?)
        .config(serde_json::Map::from_iter([("hint".to_owned(), json!("Main road"))]))
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
    let id = u64::try_from(created.id)?;

    let read = client.get_survey().id(id).send().await?.into_inner().results.remove(0);
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

    let kept =
        field(&settlement.label, Type::Title, Input::Text).id(Some(FieldInputId::from(known(settlement.id)?))).try_into()?;
    let photo = field("Photo", Type::Media, Input::Image).id(draft("interim_id_2")?).try_into()?;
    let changed: TaskInput = TaskInput::builder()
        .id(Some(TaskInputId::from(known(task.id)?)))
        .label(&*task.label)
        .fields([kept, photo])
        .try_into()?;
    let change = SurveyInput::builder().name(Some("Flood report, second round".parse()?)).tasks([changed]);
    let updated = client.update_survey().id(id).body(change).send().await?.into_inner().results.remove(0);
    let fields = &updated.tasks[0].fields;
    println!("updated {}: {}, {}", updated.name.unwrap(), fields[0].label, fields[1].label);
    assert_eq!(fields[0].key, settlement.key);
    assert_eq!(updated.color.as_deref(), Some("#0B74B8"));

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
    let words = field("Words", Type::Tags, Input::Tags).response_private(true).try_into()?;
    let faulty = TaskInput::builder().label("Situation report").fields([place()?, place()?, words]).try_into()?;
    refused(client.create_survey().body(SurveyInput::builder().tasks([faulty])).send().await);

    assert_eq!(client.delete_survey().id(id).send().await?.result.deleted, created.id);
    println!("deleted");
    refused(client.get_survey().id(id).send().await);
    println!("+ typed errors");
    Ok(())
}
