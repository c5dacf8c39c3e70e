// The round trip with the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-faster/jx"

	. "clients"
	"clients/ogen/api"
)

// token is the source of the credentials.
type token string

func (token token) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: string(token)}, nil
}

func field(label string, kind api.FieldInputType, input api.FieldInputInput) api.FieldInput {
	return api.FieldInput{Label: label, Type: kind, Input: input}
}

func raw(value any) jx.Raw { return Must(json.Marshal(value)) }

func fieldTexts(options any) api.FieldTranslationsItem {
	return api.NewFieldTranslationFieldTranslationsItem(api.FieldTranslation{Options: api.TranslatedOptions(raw(options))})
}

func parsed[T any](value []byte) (result T) {
	Check(json.Unmarshal(value, &result) == nil, "the value has this type")
	return result
}

func known(id int64) api.OptNilFieldInputID {
	return api.NewOptNilFieldInputID(api.NewInt64FieldInputID(id))
}

func draft(id string) api.OptNilFieldInputID {
	return api.NewOptNilFieldInputID(api.NewStringFieldInputID(id))
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

	question := field("Access", api.FieldInputTypeVarchar, api.FieldInputInputSelect)
	question.ID = draft("interim_id_1")
	question.Config = api.NewOptFieldInputConfig(api.FieldInputConfig{"hint": raw("Main road")})
	question.Options = []jx.Raw{raw("By car"), raw("On foot")}
	question.Translations = api.NewOptFieldTranslations(api.FieldTranslations{
		"es": fieldTexts([]string{"En auto", "A pie"}),
		"fr": fieldTexts(map[string]string{"1": "À pied"}),
	})
	place := field("Settlement", api.FieldInputTypeTitle, api.FieldInputInputText)
	var unknown api.OptNilTaskInputID
	unknown.SetToNull()
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

	read := Must(client.GetSurvey(ctx, api.GetSurveyParams{ID: created.ID})).(*api.GetSurveyOKHeaders).Response.Results[0]
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

	kept := field(settlement.Label, api.FieldInputTypeTitle, api.FieldInputInputText)
	kept.ID = known(settlement.ID)
	photo := field("Photo", api.FieldInputTypeMedia, api.FieldInputInputImage)
	photo.ID = draft("interim_id_2")
	change := api.SurveyInput{
		Name:  api.NewOptString("Flood report, second round"),
		Tasks: []api.TaskInput{{ID: api.NewOptNilTaskInputID(api.NewInt64TaskInputID(task.ID)), Label: task.Label, Fields: []api.FieldInput{kept, photo}}},
	}
	change.Description.SetToNull()
	changed := Must(client.UpdateSurvey(ctx, &change, api.UpdateSurveyParams{ID: created.ID}))
	updated := changed.(*api.GetSurveyOKHeaders).Response.Results[0]
	fields := updated.Tasks[0].Fields
	fmt.Printf("updated %s: %s, %s\n", updated.Name.Value, fields[0].Label, fields[1].Label)
	Check(fields[0].Key == settlement.Key, "the field kept its key")
	Check(updated.Color.Value == "#0B74B8", "what was not sent stays")
	if updated.Description.Null {
		fmt.Println("+ null")
	}

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
	words := field("Words", api.FieldInputTypeTags, api.FieldInputInputTags)
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
