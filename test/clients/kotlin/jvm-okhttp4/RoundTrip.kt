/** The round trip with openapi-generator's kotlin client, library jvm-okhttp4 with Gson. */
package roundtrip

import client.apis.HXLApi
import client.apis.SurveysApi
import client.infrastructure.ClientError
import client.infrastructure.ClientException
import client.infrastructure.Serializer
import client.models.*
import client.models.FieldInput.Input
import client.models.FieldInput.Type

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

fun place(label: String = "Settlement") = FieldInput(label, Type.TITLE, Input.TEXT)

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
        type = Type.VARCHAR,
        input = Input.SELECT,
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

    val read = surveys.getSurvey(created.id).results.first()
    val task = read.tasks!!.first()
    val (settlement, access) = task.fields
    val choices = access.options.joinToString(" or ")
    println("read ${access.label}: ${access.type} by ${access.input}, $choices, hint ${access.config["hint"]}")
    println("translated ${read.translations!!.getValue("name").actualInstance}: ${spanish(read)}")
    println("options es: ${(options(access, "es") as List<*>).joinToString()}")
    for ((index, text) in options(access, "fr") as Map<*, *>) println("options fr: $index is $text")

    val kept = FieldInput(settlement.label, Type.TITLE, Input.TEXT, id = FieldInputId(settlement.id))
    val photo = FieldInput("Photo", Type.MEDIA, Input.IMAGE, id = FieldInputId("interim_id_2"))
    val change = SurveyInput(
        name = "Flood report, second round",
        description = null,
        tasks = listOf(TaskInput(task.label, id = TaskInputId(task.id), fields = listOf(kept, photo))),
    )
    val updated = surveys.updateSurvey(created.id, change).results.first()
    val fields = updated.tasks!!.first().fields
    println("updated ${updated.name}: ${fields.joinToString { it.label }}")
    check(fields.first().key == settlement.key && updated.color == "#0B74B8")
    if (updated.description == null) println("+ null")

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
    val words = FieldInput("Words", Type.TAGS, Input.TAGS, responsePrivate = true)
    val faulty = TaskInput("Situation report", fields = listOf(place(), place("District"), words))
    refused { surveys.createSurvey(SurveyInput(tasks = listOf(faulty))) }

    check(surveys.deleteSurvey(created.id).result.deleted == created.id)
    println("deleted")
    refused { surveys.getSurvey(created.id) }
}
