// The round trip with the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/oapi-codegen/nullable"

	. "clients"
	"clients/oapi-codegen/api"
)

func ptr[T any](value T) *T { return &value }

func knownTask(number int64) nullable.Nullable[api.TaskInput_Id] {
	var id api.TaskInput_Id
	Must(0, id.FromTaskInputId0(number))
	return nullable.NewNullableWithValue(id)
}

func knownField(number int64) nullable.Nullable[api.FieldInput_Id] {
	var id api.FieldInput_Id
	Must(0, id.FromFieldInputId0(number))
	return nullable.NewNullableWithValue(id)
}

func newField(text string) nullable.Nullable[api.FieldInput_Id] {
	var id api.FieldInput_Id
	Must(0, id.FromFieldInputId1(text))
	return nullable.NewNullableWithValue(id)
}

func field(label string, kind api.FieldType, input api.FieldControl) api.FieldInput {
	return api.FieldInput{Label: label, Type: kind, Input: input}
}

// fieldInput is a field as it is sent back. It compiles because input and output share the types of their members.
func fieldInput(field api.Field) api.FieldInput {
	return api.FieldInput{
		Id: knownField(field.Id), Label: field.Label, Type: field.Type, Input: field.Input, Description: field.Description,
		Instructions: field.Instructions, Default: field.Default, Priority: &field.Priority, Required: &field.Required,
		ResponsePrivate: &field.ResponsePrivate, Cardinality: &field.Cardinality, Config: &field.Config,
		Options: &field.Options, Translations: &field.Translations,
	}
}

func taskInput(task api.Task) api.TaskInput {
	fields := []api.FieldInput{}
	for _, field := range task.Fields {
		fields = append(fields, fieldInput(field))
	}
	return api.TaskInput{
		Id: knownTask(task.Id), Label: task.Label, Description: task.Description, Type: &task.Type, Priority: &task.Priority,
		Required: &task.Required, ShowWhenPublished: &task.ShowWhenPublished, TaskIsInternalOnly: &task.TaskIsInternalOnly,
		IsPublic: &task.IsPublic, Translations: &task.Translations, Fields: &fields,
	}
}

func surveyInput(survey api.Survey) api.SurveyInput {
	tasks := []api.TaskInput{}
	for _, task := range *survey.Tasks {
		tasks = append(tasks, taskInput(task))
	}
	languages := survey.EnabledLanguages
	return api.SurveyInput{
		Name: survey.Name, Description: survey.Description, BaseLanguage: survey.BaseLanguage, Color: survey.Color,
		Type: survey.Type, RequireApproval: survey.RequireApproval, EveryoneCanCreate: survey.EveryoneCanCreate,
		Disabled: survey.Disabled, HideAuthor: survey.HideAuthor, HideTime: survey.HideTime,
		HideLocation: survey.HideLocation, TargetedSurvey: survey.TargetedSurvey, CanCreate: survey.CanCreate,
		Translations:     survey.Translations,
		EnabledLanguages: &api.EnabledLanguagesInput{Default: &languages.Default, Available: &languages.Available},
		Tasks:            &tasks,
	}
}

func fieldTexts(options any) api.FieldTranslations_AdditionalProperties {
	var texts api.FieldTranslations_AdditionalProperties
	Must(0, texts.FromFieldTranslation(api.FieldTranslation{Options: &options}))
	return texts
}

func refused(status int, body *api.ErrorBody) {
	problems := []string{}
	for _, problem := range body.Errors {
		pointer := ""
		if problem.Source != nil && problem.Source.Pointer != nil {
			pointer = *problem.Source.Pointer
		}
		problems = append(problems, Problem(problem.Code, pointer))
	}
	Refused(status, problems)
}

func spanish(survey api.Survey) string {
	return Must(Must((*survey.Translations)["es"].AsSurveyTranslation()).Name.Get())
}

func main() {
	url, ctx := os.Getenv("API_URL"), context.Background()
	stranger := Must(api.NewClientWithResponses(url))
	client := Must(api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_TOKEN"))
		return nil
	})))

	var beside, es api.SurveyTranslations_AdditionalProperties
	Must(0, beside.FromSurveyTranslations1("Flood report"))
	Must(0, es.FromSurveyTranslation(api.SurveyTranslation{Name: nullable.NewNullableWithValue("Informe de inundación")}))
	question := field("Access", api.FieldTypeVarchar, api.FieldControlSelect)
	question.Id = newField("interim_id_1")
	question.Config = &api.FieldConfig{"hint": "Main road"}
	question.Options = &[]any{"By car", "On foot"}
	question.Translations = &api.FieldTranslations{
		"es": fieldTexts([]string{"En auto", "A pie"}),
		"fr": fieldTexts(map[string]string{"1": "À pied"}),
	}
	place := field("Settlement", api.FieldTypeTitle, api.FieldControlText)
	answer := Must(client.CreateSurveyWithResponse(ctx, nil, api.SurveyInput{
		Name:         ptr("Flood report"),
		Description:  nullable.NewNullableWithValue("One report for each settlement."),
		Color:        nullable.NewNullableWithValue("0B74B8"),
		Translations: &api.SurveyTranslations{"name": beside, "es": es},
		Tasks: &[]api.TaskInput{
			{Label: "Situation report", Fields: &[]api.FieldInput{place, question}},
			{Label: "Verification", Id: nullable.NewNullNullable[api.TaskInput_Id]()},
		},
	}))
	created := answer.JSON201.Results[0]
	fmt.Println("created", *created.Name, created.Color.MustGet(), "with", len(*created.Tasks), "tasks")

	response := Must(client.GetSurveyWithResponse(ctx, created.Id, nil))
	read, ifMatch := response.JSON200.Results[0], &api.UpdateSurveyParams{IfMatch: &response.Headers200.ETag}
	task := (*read.Tasks)[0]
	settlement, access := task.Fields[0], task.Fields[1]
	fmt.Printf("read %s: %s by %s, %s or %s, hint %v\n",
		access.Label, access.Type, access.Input, access.Options[0], access.Options[1], access.Config["hint"])
	fmt.Printf("translated %s: %s\n", Must((*read.Translations)["name"].AsSurveyTranslations1()), spanish(read))
	inSpanish := (*Must(access.Translations["es"].AsFieldTranslation()).Options).([]any)
	fmt.Printf("options es: %s, %s\n", inSpanish...)
	for index, text := range (*Must(access.Translations["fr"].AsFieldTranslation()).Options).(map[string]any) {
		fmt.Printf("options fr: %s is %s\n", index, text)
	}

	same := Must(client.UpdateSurveyWithResponse(ctx, created.Id, ifMatch, surveyInput(read)))
	Check(same.Headers200.ETag == *ifMatch.IfMatch, "what was read and sent back changes nothing")

	photo := field("Photo", api.FieldTypeMedia, api.FieldControlImage)
	photo.Id = newField("interim_id_2")
	tasks := *surveyInput(read).Tasks
	*tasks[0].Fields = append(*tasks[0].Fields, photo)
	change := api.SurveyInput{
		Name:        ptr("Flood report, second round"),
		Description: nullable.NewNullNullable[string](),
		Tasks:       &tasks,
	}
	updated := Must(client.UpdateSurveyWithResponse(ctx, created.Id, ifMatch, change)).JSON200.Results[0]
	fields := (*updated.Tasks)[0].Fields
	fmt.Printf("updated %s: %s, %s, %s\n", *updated.Name, fields[0].Label, fields[1].Label, fields[2].Label)
	Check(fields[0].Key == settlement.Key, "the field kept its key")
	Check(updated.Color.MustGet() == "#0B74B8", "what was not sent stays")
	if updated.Description.IsNull() {
		fmt.Println("+ null")
	}
	late := Must(client.UpdateSurveyWithResponse(ctx, created.Id, ifMatch, change))
	refused(late.StatusCode(), late.JSON412)

	surveys := Must(client.ListSurveysWithResponse(ctx, &api.ListSurveysParams{
		Only: ptr("name"), Hydrate: ptr("translations"), Orderby: ptr(api.ListSurveysParamsOrderbyId), Order: ptr("DESC"),
	})).JSON200.Results
	for _, listed := range surveys {
		if listed.Id == created.Id {
			Check(listed.Tasks == nil, "only the translations came")
			fmt.Printf("listed %s: %s\n", *listed.Name, spanish(listed))
		}
	}

	tags, pages := []api.HxlTag{}, 0
	for total := int32(1); len(tags) < int(total); pages++ {
		page := Must(client.ListHxlTagsWithResponse(ctx, &api.ListHxlTagsParams{
			Limit: ptr(int32(20)), Offset: ptr(int32(len(tags))), Orderby: ptr(api.ListHxlTagsParamsOrderbyTagName),
		})).JSON200
		tags, total = append(tags, page.Results...), page.TotalCount
	}
	fmt.Printf("tags %d on %d pages, %s has %d attributes\n", len(tags), pages, tags[0].TagName, len(tags[0].HxlAttributes))

	license := Must(client.ListHxlLicensesWithResponse(ctx, &api.ListHxlLicensesParams{Code: ptr("cc-by")})).JSON200.Results[0]
	added := Must(client.CreateHxlMetadataWithResponse(ctx, nil, api.HxlMetadataInput{
		DatasetTitle: "Flood reports of March", Source: "Field teams", LicenseId: int32(license.Id),
		OrganisationId: "red-cross-x", OrganisationName: "Red Cross X", Private: false,
	})).JSON201
	metadata := Must(client.GetHxlMetadataWithResponse(ctx, added.Id, nil)).JSON200
	Check(metadata.Updated.IsNull() && metadata.User.Id > 0, "the metadata are new and belong to somebody")
	fmt.Printf("metadata %s under %s\n", metadata.DatasetTitle, license.Code)

	unauthorised := Must(stranger.ListHxlTagNamesWithResponse(ctx, nil))
	refused(unauthorised.StatusCode(), unauthorised.JSON401)
	words := field("Words", api.FieldTypeTags, api.FieldControlTags)
	words.ResponsePrivate = ptr(true)
	unprocessable := Must(client.CreateSurveyWithResponse(ctx, nil, api.SurveyInput{
		Tasks: &[]api.TaskInput{{Label: "Situation report", Fields: &[]api.FieldInput{place, place, words}}},
	}))
	refused(unprocessable.StatusCode(), unprocessable.JSON422)

	Check(Must(client.DeleteSurveyWithResponse(ctx, created.Id, nil)).JSON200.Result.Deleted == created.Id, "this survey was deleted")
	fmt.Println("deleted")
	gone := Must(client.GetSurveyWithResponse(ctx, created.Id, nil))
	refused(gone.StatusCode(), gone.JSON404)
	fmt.Println("+ typed errors")
}
