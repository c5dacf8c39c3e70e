import client.ApiClient;
import client.ApiException;
import client.ApiResponse;
import client.api.HxlApi;
import client.api.SurveysApi;
import client.model.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The round trip with openapi-generator's java client, library okhttp-gson. */
final class RoundTrip {
  private static final String URL = System.getenv("API_URL");

  interface Call {
    Object run() throws ApiException;
  }

  /** Tells how a call is refused. */
  static void refused(Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      System.out.println(error.getCode() + " " + error.getErrorObject().getErrors().stream().map(problem ->
          problem.getSource() == null || problem.getSource().getPointer() == null
              ? problem.getCode()
              : problem.getCode() + " at " + problem.getSource().getPointer()).collect(Collectors.joining(", ")));
    }
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new IllegalStateException("It does not hold that " + what + ".");
  }

  static FieldInput field(String label, FieldType type, FieldControl input) {
    return new FieldInput().label(label).type(type).input(input);
  }

  /** A field as it is sent back. It compiles because input and output share the types of their members. */
  static FieldInput fieldInput(Field field) {
    return field(field.getLabel(), field.getType(), field.getInput())
        .id(new FieldInputId(field.getId()))
        .description(field.getDescription())
        .instructions(field.getInstructions())
        ._default(field.getDefault())
        .priority(field.getPriority())
        .required(field.getRequired())
        .responsePrivate(field.getResponsePrivate())
        .cardinality(field.getCardinality())
        .config(field.getConfig())
        .options(field.getOptions())
        .translations(field.getTranslations());
  }

  static TaskInput taskInput(Task task) {
    return new TaskInput()
        .id(new TaskInputId(task.getId()))
        .label(task.getLabel())
        .description(task.getDescription())
        .type(task.getType())
        .priority(task.getPriority())
        .required(task.getRequired())
        .showWhenPublished(task.getShowWhenPublished())
        .taskIsInternalOnly(task.getTaskIsInternalOnly())
        .isPublic(task.getIsPublic())
        .translations(task.getTranslations())
        .fields(task.getFields().stream().map(RoundTrip::fieldInput).collect(Collectors.toList()));
  }

  static SurveyInput surveyInput(Survey survey) {
    EnabledLanguages languages = survey.getEnabledLanguages();
    return new SurveyInput()
        .name(survey.getName())
        .description(survey.getDescription())
        .baseLanguage(survey.getBaseLanguage())
        .color(survey.getColor())
        .type(survey.getType())
        .requireApproval(survey.getRequireApproval())
        .everyoneCanCreate(survey.getEveryoneCanCreate())
        .disabled(survey.getDisabled())
        .hideAuthor(survey.getHideAuthor())
        .hideTime(survey.getHideTime())
        .hideLocation(survey.getHideLocation())
        .targetedSurvey(survey.getTargetedSurvey())
        .canCreate(survey.getCanCreate())
        .translations(survey.getTranslations())
        .enabledLanguages(new EnabledLanguagesInput()._default(languages.getDefault()).available(languages.getAvailable()))
        .tasks(survey.getTasks().stream().map(RoundTrip::taskInput).collect(Collectors.toList()));
  }

  static String etag(ApiResponse<?> response) {
    return response.getHeaders().get("etag").get(0);
  }

  static FieldTranslationsValue texts(Object options) {
    return new FieldTranslationsValue(new FieldTranslation().options(options));
  }

  static String spanish(Survey survey) {
    return survey.getTranslations().get("es").getSurveyTranslation().getName();
  }

  public static void main(String[] args) throws ApiException {
    ApiClient stranger = new ApiClient().setBasePath(URL);
    ApiClient client = new ApiClient().setBasePath(URL);
    client.setBearerToken(System.getenv("API_TOKEN"));
    SurveysApi surveys = new SurveysApi(client);
    HxlApi hxl = new HxlApi(client);

    FieldInput place = field("Settlement", FieldType.TITLE, FieldControl.TEXT);
    FieldInput question = field("Access", FieldType.VARCHAR, FieldControl.SELECT)
        .id(new FieldInputId("interim_id_1"))
        .config(Map.of("hint", "Main road"))
        .options(List.of("By car", "On foot"))
        .translations(Map.of("es", texts(List.of("En auto", "A pie")), "fr", texts(Map.of("1", "À pied"))));
    Survey created = surveys.createSurvey(new SurveyInput()
        .name("Flood report")
        .description("One report for each settlement.")
        .color("0B74B8")
        .translations(Map.of(
            "name", new SurveyTranslationsValue("Flood report"),
            "es", new SurveyTranslationsValue(new SurveyTranslation().name("Informe de inundación"))))
        .tasks(List.of(
            new TaskInput().label("Situation report").fields(List.of(place, question)),
            new TaskInput().label("Verification").id(null))), null).getResults().get(0);
    long id = created.getId();
    System.out.printf("created %s %s with %d tasks%n", created.getName(), created.getColor(), created.getTasks().size());

    ApiResponse<SurveyResults> response = surveys.getSurveyWithHttpInfo(id, null, null, null, null, null, null, null);
    Survey read = response.getData().getResults().get(0);
    String ifMatch = etag(response);
    Task task = read.getTasks().get(0);
    Field settlement = task.getFields().get(0);
    Field access = task.getFields().get(1);
    System.out.printf("read %s: %s by %s, %s or %s, hint %s%n", access.getLabel(), access.getType(), access.getInput(),
        access.getOptions().get(0), access.getOptions().get(1), access.getConfig().get("hint"));
    System.out.printf("translated %s: %s%n", read.getTranslations().get("name").getString(), spanish(read));
    List<?> inSpanish = (List<?>) access.getTranslations().get("es").getFieldTranslation().getOptions();
    System.out.printf("options es: %s, %s%n", inSpanish.get(0), inSpanish.get(1));
    Map<?, ?> inFrench = (Map<?, ?>) access.getTranslations().get("fr").getFieldTranslation().getOptions();
    System.out.printf("options fr: 1 is %s%n", inFrench.get("1"));

    String same = etag(surveys.updateSurveyWithHttpInfo(id, surveyInput(read), ifMatch, null, null, null));
    check(same.equals(ifMatch), "what was read and sent back changes nothing");

    FieldInput photo = field("Photo", FieldType.MEDIA, FieldControl.IMAGE).id(new FieldInputId("interim_id_2"));
    SurveyInput change = new SurveyInput()
        .name("Flood report, second round")
        .description(null)
        .tasks(surveyInput(read).getTasks());
    change.getTasks().get(0).addFieldsItem(photo);
    Survey updated = surveys.updateSurvey(id, change, ifMatch, null, null, null).getResults().get(0);
    List<Field> fields = updated.getTasks().get(0).getFields();
    System.out.printf("updated %s: %s%n", updated.getName(), fields.stream().map(Field::getLabel).collect(Collectors.joining(", ")));
    check(fields.get(0).getKey().equals(settlement.getKey()), "the field kept its key");
    check(updated.getColor().equals("#0B74B8"), "what was not sent stays");
    if (updated.getDescription() == null) System.out.println("+ null");
    refused(() -> surveys.updateSurvey(id, change, ifMatch, null, null, null));

    Survey listed = surveys.listSurveys("name", "translations", null, null, "id", "DESC", null, null, null, null,
            null, null, null, null, null, null).getResults().stream()
        .filter(survey -> survey.getId() == id).findFirst().orElseThrow();
    check(listed.getTasks() == null || listed.getTasks().isEmpty(), "only the translations came");
    System.out.printf("listed %s: %s%n", listed.getName(), spanish(listed));

    List<HxlTag> tags = new ArrayList<>();
    int pages = 0;
    for (int total = 1; tags.size() < total; pages++) {
      HxlTagPage page = hxl.listHxlTags("tag_name", null, 20, tags.size(), null, null, null, null, null);
      tags.addAll(page.getResults());
      total = page.getTotalCount();
    }
    HxlTag first = tags.get(0);
    System.out.printf("tags %d on %d pages, %s has %d attributes%n", tags.size(), pages, first.getTagName(), first.getHxlAttributes().size());

    HxlLicense license = hxl.listHxlLicenses(null, "cc-by", null, null, null, null, null, null).getResults().get(0);
    HxlMetadata added = hxl.createHxlMetadata(new HxlMetadataInput()
        .datasetTitle("Flood reports of March")
        .source("Field teams")
        .licenseId(license.getId().intValue())
        .organisationId("red-cross-x")
        .organisationName("Red Cross X")
        ._private(false), null);
    HxlMetadata metadata = hxl.getHxlMetadata(added.getId(), null, null, null, null, null);
    check(metadata.getUpdated() == null && metadata.getUser().getId() > 0, "the metadata are new and belong to somebody");
    System.out.printf("metadata %s under %s%n", metadata.getDatasetTitle(), license.getCode());

    refused(() -> new HxlApi(stranger).listHxlTagNames(null, null));
    FieldInput words = field("Words", FieldType.TAGS, FieldControl.TAGS).responsePrivate(true);
    refused(() -> surveys.createSurvey(new SurveyInput()
        .addTasksItem(new TaskInput().label("Situation report").fields(List.of(place, place, words))), null));

    check(surveys.deleteSurvey(id, null, null, null, null).getResult().getDeleted() == id, "this survey was deleted");
    System.out.println("deleted");
    refused(() -> surveys.getSurvey(id, null, null, null, null, null, null, null));
    System.out.println("+ typed errors");
  }
}
