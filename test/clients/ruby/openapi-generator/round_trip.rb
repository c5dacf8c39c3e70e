# The round trip with the client of openapi-generator's ruby generator.

require 'survey_client'
require 'uri'

client = SurveyClient::ApiClient.new(
  SurveyClient::Configuration.new.tap do |configuration|
    url = URI(ENV.fetch('API_URL'))
    configuration.scheme = url.scheme
    configuration.host = "#{url.host}:#{url.port}"
    configuration.access_token = ENV.fetch('API_TOKEN')
  end
)
surveys = SurveyClient::SurveysApi.new(client)
hxl = SurveyClient::HXLApi.new(client)

def check(holds, what)
  raise what unless holds
end

def spanish(survey)
  survey.translations.fetch('es').name
end

def etag(headers)
  # The names of the headers are as they came, in capital letters or not.
  headers.transform_keys(&:downcase).fetch('etag')
end

def refusal(error)
  body = SurveyClient::ErrorBody.build_from_hash(JSON.parse(error.response_body, symbolize_names: true))
  problems = body.errors.map { |problem| problem.source&.pointer ? "#{problem.code} at #{problem.source.pointer}" : problem.code }
  "#{error.code} #{problems.join(', ')}"
end

def refused
  yield
rescue SurveyClient::ApiError => e
  puts refusal(e)
else
  raise 'This should have been refused.'
end

def title(label)
  SurveyClient::FieldInput.new(label:, type: 'title', input: 'text')
end

# What was read, as it is sent back: the members of the input have the types of those that were read.
def input(type, read, **changed)
  members = type.attribute_map.keys.select { |name| read.respond_to?(name) }
  type.new(**members.to_h { |name| [name, read.public_send(name)] }, **changed)
end

def survey_input(survey)
  tasks = survey.tasks.map do |task|
    input(SurveyClient::TaskInput, task, fields: task.fields.map { |field| input(SurveyClient::FieldInput, field) })
  end
  input(SurveyClient::SurveyInput, survey, tasks:)
end

# Names in any script: no pattern of the contract stands in their way.
school = surveys.create_survey(SurveyClient::SurveyInput.new(name: 'École – مدرسة')).results.first
check(school.name == 'École – مدرسة', 'a name came back as another one')
surveys.delete_survey(school.id)

body = SurveyClient::SurveyInput.new(
  name: 'Flood report',
  description: 'One report for each settlement.',
  color: '0B74B8',
  translations: {
    'name' => 'Flood report',
    'es' => SurveyClient::SurveyTranslation.new(name: 'Informe de inundación')
  },
  tasks: [
    SurveyClient::TaskInput.new(
      label: 'Situation report',
      fields: [
        title('Settlement'),
        SurveyClient::FieldInput.new(
          id: 'interim_id_1',
          label: 'Access',
          type: 'varchar',
          input: 'select',
          config: { 'hint' => 'Main road' },
          options: ['By car', 'On foot'],
          translations: {
            'es' => SurveyClient::FieldTranslation.new(options: ['En auto', 'A pie']),
            'fr' => SurveyClient::FieldTranslation.new(options: { '1' => 'À pied' })
          }
        )
      ]
    ),
    SurveyClient::TaskInput.new(label: 'Verification', id: nil)
  ]
)
created = surveys.create_survey(body).results.first
puts "created #{created.name} #{created.color} with #{created.tasks.length} tasks"

found, _, headers = surveys.get_survey_with_http_info(created.id)
read = found.results.first
settlement, access = read.tasks.first.fields
puts "read #{access.label}: #{access.type} by #{access.input}, #{access.options.join(' or ')}, hint #{access.config['hint']}"
puts "translated #{read.translations.fetch('name')}: #{spanish(read)}"
puts "options es: #{access.translations.fetch('es').options.join(', ')}"
access.translations.fetch('fr').options.each { |index, text| puts "options fr: #{index} is #{text}" }

same, _, headers = surveys.update_survey_with_http_info(created.id, survey_input(read), if_match: etag(headers))
check(survey_input(same.results.first) == survey_input(read), 'what was sent back has changed')
if_match = etag(headers)

photo = SurveyClient::FieldInput.new(id: 'interim_id_2', label: 'Photo', type: 'media', input: 'image')
first, second = survey_input(read).tasks
first.fields << photo
change = SurveyClient::SurveyInput.new(name: 'Flood report, second round', description: nil, tasks: [first, second])
updated = surveys.update_survey(created.id, change, if_match:).results.first
fields = updated.tasks.first.fields
puts "updated #{updated.name}: #{fields.map(&:label).join(', ')}"
check(fields.first.key == settlement.key && updated.color == '#0B74B8', 'something else has changed')
puts '+ null' if updated.description.nil?
refused { surveys.update_survey(created.id, change, if_match:) }

listed = surveys.list_surveys(only: 'name', hydrate: 'translations', orderby: 'id', order: 'DESC').results.find { |survey| survey.id == created.id }
check(listed.tasks.nil?, 'only the translations came')
puts "listed #{listed.name}: #{spanish(listed)}"

tags = []
pages = 0
total = 1
while tags.length < total
  page = hxl.list_hxl_tags(limit: 20, offset: tags.length, orderby: 'tag_name')
  tags += page.results
  pages += 1
  total = page.total_count
end
puts "tags #{tags.length} on #{pages} pages, #{tags.first.tag_name} has #{tags.first.hxl_attributes.length} attributes"

license = hxl.list_hxl_licenses(code: 'cc-by').results.first
dataset = SurveyClient::HxlMetadataInput.new(
  dataset_title: 'Flood reports of March',
  source: 'Field teams',
  license_id: license.id,
  organisation_id: 'red-cross-x',
  organisation_name: 'Red Cross X',
  private: false
)
metadata = hxl.get_hxl_metadata(hxl.create_hxl_metadata(dataset).id)
check(metadata.updated.nil? && metadata.user.id.positive? && metadata.license_id == license.id, 'the metadata are others')
puts "metadata #{metadata.dataset_title} under #{license.code}"

stranger = SurveyClient::Configuration.new.tap do |configuration|
  configuration.scheme = client.config.scheme
  configuration.host = client.config.host
end
refused { SurveyClient::HXLApi.new(SurveyClient::ApiClient.new(stranger)).list_hxl_tag_names }
words = SurveyClient::FieldInput.new(label: 'Words', type: 'tags', input: 'tags', response_private: true)
faulty = SurveyClient::TaskInput.new(label: 'Situation report', fields: [title('Settlement'), title('District'), words])
refused { surveys.create_survey(SurveyClient::SurveyInput.new(tasks: [faulty])) }

check(surveys.delete_survey(created.id).result.deleted == created.id, 'another survey was deleted')
puts 'deleted'
refused { surveys.get_survey(created.id) }
