/** The round trip with openapi-generator's kotlin client, library jvm-okhttp4 with Gson. */
package roundtrip

import client.apis.HXLApi
import client.apis.SurveysApi
import client.infrastructure.ApiResponse
import client.infrastructure.ClientError
import client.infrastructure.ClientException
import client.infrastructure.Serializer
import client.infrastructure.Success
import client.models.*

/** Tells how a call is refused. */
fun refused(call: () -> Unit) {
    try {
        call()
    } catch (error: ClientException) {
        val body = Serializer.gson.fromJson((error.response as ClientError<*>).body as String, ErrorBody::class.java)
        println("${error.statusCode} " + body.errors.joinToString { problem ->
            problem.source?.pointer?.let { "${problem.code} at $it" } ?: problem.code
        })
    }
}

fun place(label: String = "Settlement") = FieldInput(label, FieldType.TITLE, FieldControl.TEXT)

/** A field as it is sent back. It compiles because input and output share the types of their members. */
fun fieldInput(field: Field) = FieldInput(
    id = FieldInputId(field.id),
    label = field.label,
    type = field.type,
    input = field.input,
    description = field.description,
    instructions = field.instructions,
    default = field.default,
    priority = field.priority,
    required = field.required,
    responsePrivate = field.responsePrivate,
    cardinality = field.cardinality,
    config = field.config,
    options = field.options,
    translations = field.translations,
)

fun taskInput(task: Task) = TaskInput(
    id = TaskInputId(task.id),
    label = task.label,
    description = task.description,
    type = task.type,
    priority = task.priority,
    required = task.required,
    showWhenPublished = task.showWhenPublished,
    taskIsInternalOnly = task.taskIsInternalOnly,
    isPublic = task.isPublic,
    translations = task.translations,
    fields = task.fields.map(::fieldInput),
)

fun surveyInput(survey: Survey) = SurveyInput(
    name = survey.name,
    description = survey.description,
    baseLanguage = survey.baseLanguage,
    color = survey.color,
    type = survey.type,
    requireApproval = survey.requireApproval,
    everyoneCanCreate = survey.everyoneCanCreate,
    disabled = survey.disabled,
    hideAuthor = survey.hideAuthor,
    hideTime = survey.hideTime,
    hideLocation = survey.hideLocation,
    targetedSurvey = survey.targetedSurvey,
    canCreate = survey.canCreate,
    translations = survey.translations,
    enabledLanguages = survey.enabledLanguages?.let { EnabledLanguagesInput(it.default, it.available) },
    tasks = survey.tasks?.map(::taskInput),
)

fun etag(response: ApiResponse<*>) = response.headers.getValue("etag").first()

fun texts(options: Any) = FieldTranslationsValue(FieldTranslation(options = options))

fun spanish(survey: Survey) = (survey.translations!!.getValue("es").actualInstance as SurveyTranslation).name

fun options(field: Field, language: String) =
    (field.translations.getValue(language).actualInstance as FieldTranslation).options

fun main() {
    val url = System.getenv("API_URL")
    val surveys = SurveysApi(url).apply { accessTokenProvider = { System.getenv("API_TOKEN") } }
    val hxl = HXLApi(url).apply { accessTokenProvider = { System.getenv("API_TOKEN") } }

    val question = FieldInput(
        id = FieldInputId("interim_id_1"),
        label = "Access",
        type = FieldType.VARCHAR,
        input = FieldControl.SELECT,
        config = mapOf("hint" to "Main road"),
        options = listOf("By car", "On foot"),
        translations = mapOf("es" to texts(listOf("En auto", "A pie")), "fr" to texts(mapOf("1" to "À pied"))),
    )
    val created = surveys.createSurvey(
        SurveyInput(
            name = "Flood report",
            description = "One report for each settlement.",
            color = "0B74B8",
            translations = mapOf(
                "name" to SurveyTranslationsValue("Flood report"),
                "es" to SurveyTranslationsValue(SurveyTranslation(name = "Informe de inundación")),
            ),
            tasks = listOf(
                TaskInput("Situation report", fields = listOf(place(), question)),
                TaskInput("Verification", id = null),
            ),
        ),
    ).results.first()
    println("created ${created.name} ${created.color} with ${created.tasks!!.size} tasks")

    val response = surveys.getSurveyWithHttpInfo(created.id, null, null, null, null, null, null, null)
    check(response is Success)
    val read = response.data!!.results.first()
    val ifMatch = etag(response)
    val task = read.tasks!!.first()
    val (settlement, access) = task.fields
    val choices = access.options.joinToString(" or ")
    println("read ${access.label}: ${access.type} by ${access.input}, $choices, hint ${access.config["hint"]}")
    println("translated ${read.translations!!.getValue("name").actualInstance}: ${spanish(read)}")
    println("options es: ${(options(access, "es") as List<*>).joinToString()}")
    for ((index, text) in options(access, "fr") as Map<*, *>) println("options fr: $index is $text")

    val same = etag(surveys.updateSurveyWithHttpInfo(created.id, surveyInput(read), ifMatch, null, null, null))
    check(same == ifMatch)

    val photo = FieldInput("Photo", FieldType.MEDIA, FieldControl.IMAGE, id = FieldInputId("interim_id_2"))
    val (first, second) = read.tasks.map(::taskInput)
    val change = SurveyInput(
        name = "Flood report, second round",
        description = null,
        tasks = listOf(first.copy(fields = first.fields!! + photo), second),
    )
    val updated = surveys.updateSurvey(created.id, change, ifMatch).results.first()
    val fields = updated.tasks!!.first().fields
    println("updated ${updated.name}: ${fields.joinToString { it.label }}")
    check(fields.first().key == settlement.key && updated.color == "#0B74B8")
    if (updated.description == null) println("+ null")
    refused { surveys.updateSurvey(created.id, change, ifMatch) }

    val listed = surveys.listSurveys(
        only = "name",
        hydrate = "translations",
        orderby = SurveysApi.OrderbyListSurveys.ID,
        order = "DESC",
    ).results.first { it.id == created.id }
    check(listed.tasks == null)
    println("listed ${listed.name}: ${spanish(listed)}")

    val tags = mutableListOf<HxlTag>()
    var pages = 0
    do {
        val page = hxl.listHxlTags(limit = 20, offset = tags.size, orderby = HXLApi.OrderbyListHxlTags.TAG_NAME)
        tags += page.results
        pages++
    } while (tags.size < page.totalCount)
    println("tags ${tags.size} on $pages pages, ${tags[0].tagName} has ${tags[0].hxlAttributes.size} attributes")

    val license = hxl.listHxlLicenses(code = "cc-by").results.first()
    val dataset = HxlMetadataInput(
        datasetTitle = "Flood reports of March",
        source = "Field teams",
        licenseId = license.id.toInt(),
        organisationId = "red-cross-x",
        organisationName = "Red Cross X",
        `private` = false,
    )
    val metadata = hxl.getHxlMetadata(hxl.createHxlMetadata(dataset).id)
    check(metadata.updated == null && metadata.user.id > 0)
    println("metadata ${metadata.datasetTitle} under ${license.code}")

    refused { HXLApi(url).listHxlTagNames() }
    val words = FieldInput("Words", FieldType.TAGS, FieldControl.TAGS, responsePrivate = true)
    val faulty = TaskInput("Situation report", fields = listOf(place(), place("District"), words))
    refused { surveys.createSurvey(SurveyInput(tasks = listOf(faulty))) }

    check(surveys.deleteSurvey(created.id).result.deleted == created.id)
    println("deleted")
    refused { surveys.getSurvey(created.id) }
}
