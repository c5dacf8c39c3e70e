// The round trip with the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"github.com/go-faster/jx"

	. "clients"
	"clients/ogen/api"
)

// token is the source of the credentials.
type token string

func (token token) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: string(token)}, nil
}

func field(label string, kind api.FieldType, input api.FieldControl) api.FieldInput {
	return api.FieldInput{Label: label, Type: kind, Input: input}
}

// sent is a text that is always returned as one that may be left out when it is sent.
func sent(text api.NilString) api.OptNilString {
	return api.OptNilString{Value: text.Value, Null: text.Null, Set: true}
}

// fieldInput is a field as it is sent back. It compiles because input and output share the types of their members.
func fieldInput(field api.Field) api.FieldInput {
	return api.FieldInput{
		ID: known(field.ID), Label: field.Label, Type: field.Type, Input: field.Input, Description: sent(field.Description),
		Instructions: sent(field.Instructions), Default: sent(field.Default), Priority: api.NewOptInt32(field.Priority),
		Required: api.NewOptBool(field.Required), ResponsePrivate: api.NewOptBool(field.ResponsePrivate),
		Cardinality: api.NewOptInt32(field.Cardinality), Config: api.NewOptFieldConfig(field.Config),
		Options: field.Options, Translations: api.NewOptFieldTranslations(field.Translations),
	}
}

func taskInput(task api.Task) api.TaskInput {
	input := api.TaskInput{
		ID: api.NewOptTaskInputID(api.NewInt64TaskInputID(task.ID)), Label: task.Label,
		Description: sent(task.Description), Type: api.NewOptTaskType(task.Type), Priority: api.NewOptInt32(task.Priority),
		Required: api.NewOptBool(task.Required), ShowWhenPublished: api.NewOptBool(task.ShowWhenPublished),
		TaskIsInternalOnly: api.NewOptBool(task.TaskIsInternalOnly), IsPublic: api.NewOptBool(task.IsPublic),
		Translations: api.NewOptTaskTranslations(task.Translations), Fields: []api.FieldInput{},
	}
	for _, field := range task.Fields {
		input.Fields = append(input.Fields, fieldInput(field))
	}
	return input
}

func surveyInput(survey api.Survey) api.SurveyInput {
	languages := survey.EnabledLanguages.Value
	input := api.SurveyInput{
		Name: survey.Name, Description: survey.Description, BaseLanguage: survey.BaseLanguage, Color: survey.Color,
		Type: survey.Type, RequireApproval: survey.RequireApproval, EveryoneCanCreate: survey.EveryoneCanCreate,
		Disabled: survey.Disabled, HideAuthor: survey.HideAuthor, HideTime: survey.HideTime,
		HideLocation: survey.HideLocation, TargetedSurvey: survey.TargetedSurvey, CanCreate: survey.CanCreate,
		Translations: survey.Translations,
		EnabledLanguages: api.NewOptEnabledLanguagesInput(api.EnabledLanguagesInput{
			Default: api.NewOptString(languages.Default), Available: languages.Available,
		}),
	}
	for _, task := range survey.Tasks {
		input.Tasks = append(input.Tasks, taskInput(task))
	}
	return input
}

func raw(value any) jx.Raw { return Must(json.Marshal(value)) }

func fieldTexts(options any) api.FieldTranslationsItem {
	return api.NewFieldTranslationFieldTranslationsItem(api.FieldTranslation{Options: api.TranslatedOptions(raw(options))})
}

func parsed[T any](value []byte) (result T) {
	Check(json.Unmarshal(value, &result) == nil, "the value has this type")
	return result
}

func known(id int64) api.OptFieldInputID {
	return api.NewOptFieldInputID(api.NewInt64FieldInputID(id))
}

func draft(id string) api.OptFieldInputID {
	return api.NewOptFieldInputID(api.NewStringFieldInputID(id))
}

func refused(status int, body api.ErrorBody) {
	problems := []string{}
	for _, problem := range body.Errors {
		problems = append(problems, Problem(problem.Code, problem.Source.Value.Pointer.Value))
	}
	Refused(status, problems)
}

func spanish(survey api.Survey) string {
	return survey.Translations.Value["es"].SurveyTranslation.Name.Value
}

func main() {
	url, ctx := os.Getenv("API_URL"), context.Background()
	stranger := Must(api.NewClient(url, token("unknown")))
	client := Must(api.NewClient(url, token(os.Getenv("API_TOKEN"))))

	question := field("Access", api.FieldTypeVarchar, api.FieldControlSelect)
	question.ID = draft("interim_id_1")
	question.Config = api.NewOptFieldConfig(api.FieldConfig{"hint": raw("Main road")})
	question.Options = []jx.Raw{raw("By car"), raw("On foot")}
	question.Translations = api.NewOptFieldTranslations(api.FieldTranslations{
		"es": fieldTexts([]string{"En auto", "A pie"}),
		"fr": fieldTexts(map[string]string{"1": "À pied"}),
	})
	place := field("Settlement", api.FieldTypeTitle, api.FieldControlText)
	unknown := api.NewOptTaskInputID(api.NewNullTaskInputID(struct{}{}))
	answer := Must(client.CreateSurvey(ctx, &api.SurveyInput{
		Name:        api.NewOptString("Flood report"),
		Description: api.NewOptNilString("One report for each settlement."),
		Color:       api.NewOptNilString("0B74B8"),
		Translations: api.NewOptSurveyTranslations(api.SurveyTranslations{
			"name": api.NewStringSurveyTranslationsItem("Flood report"),
			"es": api.NewSurveyTranslationSurveyTranslationsItem(
				api.SurveyTranslation{Name: api.NewOptNilString("Informe de inundación")}),
		}),
		Tasks: []api.TaskInput{
			{Label: "Situation report", Fields: []api.FieldInput{place, question}},
			{Label: "Verification", ID: unknown},
		},
	}, api.CreateSurveyParams{}))
	created := answer.(*api.CreateSurveyCreatedHeaders).Response.Results[0]
	fmt.Println("created", created.Name.Value, created.Color.Value, "with", len(created.Tasks), "tasks")

	response := Must(client.GetSurvey(ctx, api.GetSurveyParams{ID: created.ID})).(*api.GetSurveyOKHeaders)
	read, ifMatch := response.Response.Results[0], api.UpdateSurveyParams{ID: created.ID, IfMatch: api.NewOptString(response.ETag)}
	task := read.Tasks[0]
	settlement, access := task.Fields[0], task.Fields[1]
	fmt.Printf("read %s: %s by %s, %s or %s, hint %s\n", access.Label, access.Type, access.Input,
		parsed[string](access.Options[0]), parsed[string](access.Options[1]), parsed[string](access.Config["hint"]))
	fmt.Printf("translated %s: %s\n", read.Translations.Value["name"].String, spanish(read))
	inSpanish := parsed[[]any](access.Translations["es"].FieldTranslation.Options)
	fmt.Printf("options es: %s, %s\n", inSpanish...)
	for index, text := range parsed[map[string]any](access.Translations["fr"].FieldTranslation.Options) {
		fmt.Printf("options fr: %s is %s\n", index, text)
	}

	whole := surveyInput(read)
	same := Must(client.UpdateSurvey(ctx, &whole, ifMatch)).(*api.GetSurveyOKHeaders)
	// The translations are a map without an order, so they may have come in another one: this is a new state.
	ifMatch.IfMatch = api.NewOptString(same.ETag)
	Check(reflect.DeepEqual(surveyInput(same.Response.Results[0]), whole), "what was read and sent back changes nothing")

	photo := field("Photo", api.FieldTypeMedia, api.FieldControlImage)
	photo.ID = draft("interim_id_2")
	change := api.SurveyInput{Name: api.NewOptString("Flood report, second round"), Tasks: surveyInput(read).Tasks}
	change.Description.SetToNull()
	change.Tasks[0].Fields = append(change.Tasks[0].Fields, photo)
	updated := Must(client.UpdateSurvey(ctx, &change, ifMatch)).(*api.GetSurveyOKHeaders).Response.Results[0]
	fields := updated.Tasks[0].Fields
	fmt.Printf("updated %s: %s, %s, %s\n", updated.Name.Value, fields[0].Label, fields[1].Label, fields[2].Label)
	Check(fields[0].Key == settlement.Key, "the field kept its key")
	Check(updated.Color.Value == "#0B74B8", "what was not sent stays")
	if updated.Description.Null {
		fmt.Println("+ null")
	}
	refused(412, Must(client.UpdateSurvey(ctx, &change, ifMatch)).(*api.PreconditionFailedHeaders).Response)

	surveys := Must(client.ListSurveys(ctx, api.ListSurveysParams{
		Only:    api.NewOptString("name"),
		Hydrate: api.NewOptString("translations"),
		Orderby: api.NewOptSurveyOrderby(api.SurveyOrderbyID),
		Order:   api.NewOptString("DESC"),
	}))
	for _, listed := range surveys.(*api.SurveyResultsHeaders).Response.Results {
		if listed.ID == created.ID {
			Check(listed.Tasks == nil, "only the translations came")
			fmt.Printf("listed %s: %s\n", listed.Name.Value, spanish(listed))
		}
	}

	tags, pages := []api.HxlTag{}, 0
	for total := int32(1); len(tags) < int(total); pages++ {
		page := Must(client.ListHxlTags(ctx, api.ListHxlTagsParams{
			Limit:   api.NewOptInt32(20),
			Offset:  api.NewOptInt32(int32(len(tags))),
			Orderby: api.NewOptHxlTagOrderby(api.HxlTagOrderbyTagName),
		})).(*api.HxlTagPageHeaders).Response
		tags, total = append(tags, page.Results...), page.TotalCount
	}
	fmt.Printf("tags %d on %d pages, %s has %d attributes\n", len(tags), pages, tags[0].TagName, len(tags[0].HxlAttributes))

	licenses := Must(client.ListHxlLicenses(ctx, api.ListHxlLicensesParams{Code: api.NewOptString("cc-by")}))
	license := licenses.(*api.HxlLicensePageHeaders).Response.Results[0]
	added := Must(client.CreateHxlMetadata(ctx, &api.HxlMetadataInput{
		DatasetTitle: "Flood reports of March", Source: "Field teams", LicenseID: int32(license.ID),
		OrganisationID: "red-cross-x", OrganisationName: "Red Cross X", Private: false,
	}, api.CreateHxlMetadataParams{})).(*api.HxlMetadataHeaders).Response
	metadata := Must(client.GetHxlMetadata(ctx, api.GetHxlMetadataParams{ID: added.ID})).(*api.GetHxlMetadataOKHeaders).Response
	Check(metadata.Updated.Null && metadata.User.ID > 0, "the metadata are new and belong to somebody")
	fmt.Printf("metadata %s under %s\n", metadata.DatasetTitle, license.Code)

	refused(401, Must(stranger.ListHxlTagNames(ctx, api.ListHxlTagNamesParams{})).(*api.UnauthorizedHeaders).Response)
	words := field("Words", api.FieldTypeTags, api.FieldControlTags)
	words.ResponsePrivate = api.NewOptBool(true)
	unprocessable := Must(client.CreateSurvey(ctx, &api.SurveyInput{
		Tasks: []api.TaskInput{{Label: "Situation report", Fields: []api.FieldInput{place, place, words}}},
	}, api.CreateSurveyParams{})).(*api.CreateSurveyUnprocessableEntity)
	refused(422, api.ErrorBody(*unprocessable))

	deletion := Must(client.DeleteSurvey(ctx, api.DeleteSurveyParams{ID: created.ID})).(*api.SurveyDeletionHeaders).Response
	Check(deletion.Result.Deleted == created.ID, "this survey was deleted")
	fmt.Println("deleted")
	gone := Must(client.GetSurvey(ctx, api.GetSurveyParams{ID: created.ID})).(*api.GetSurveyNotFound)
	refused(404, api.ErrorBody(*gone))
	fmt.Println("+ typed errors")
}
