<?php

// The round trip with the client of openapi-generator's php generator. It knows no alternatives (oneOf): an identifier may be
// a number or a text, a translation an object or a text. So tasks and translations are sent here, but not sent back.

declare(strict_types=1);

use SurveyClient\Api\HXLApi;
use SurveyClient\Api\SurveysApi;
use SurveyClient\ApiException;
use SurveyClient\Configuration;
use SurveyClient\Model\ErrorBody;
use SurveyClient\Model\FieldInput;
use SurveyClient\Model\HxlMetadataInput;
use SurveyClient\Model\SurveyInput;
use SurveyClient\Model\SurveyTranslation;
use SurveyClient\Model\TaskInput;

// A warning is a failure.
set_error_handler(function (int $severity, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $severity, $file, $line);
}, E_ALL & ~E_DEPRECATED);
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    require __DIR__ . '/client/lib/' . strtr(substr($class, strlen('SurveyClient\\')), '\\', '/') . '.php';
});

$configuration = (new Configuration())->setHost(getenv('API_URL'));
$stranger = clone $configuration;
$configuration->setAccessToken(getenv('API_TOKEN'));
$surveys = new SurveysApi(config: $configuration);
$hxl = new HXLApi(config: $configuration);

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new Exception($what);
    }
}

function refused(callable $request): void
{
    try {
        $request();
    } catch (ApiException $error) {
        $body = $error->getResponseObject();
        check($body instanceof ErrorBody, 'an error is not typed');
        $problems = [];
        foreach ($body->getErrors() as $problem) {
            $pointer = $problem->getSource()?->getPointer();
            $problems[] = $problem->getCode() . ($pointer === null ? '' : " at $pointer");
        }
        echo $error->getCode(), ' ', implode(', ', $problems), "\n";
        return;
    }
    throw new Exception('This should have been refused.');
}

function title(string $label): FieldInput
{
    return new FieldInput(['label' => $label, 'type' => 'title', 'input' => 'text']);
}

// Names in any script: no pattern of the contract stands in their way.
$school = $surveys->createSurvey(new SurveyInput(['name' => 'École – مدرسة']))->getResults()[0];
check($school->getName() === 'École – مدرسة', 'a name came back as another one');
$surveys->deleteSurvey($school->getId());

$created = $surveys->createSurvey(new SurveyInput([
    'name' => 'Flood report',
    'description' => 'One report for each settlement.',
    'color' => '0B74B8',
    'translations' => ['es' => new SurveyTranslation(['name' => 'Informe de inundación'])],
    'tasks' => [
        new TaskInput(['label' => 'Situation report', 'fields' => [
            title('Settlement'),
            new FieldInput([
                'label' => 'Access',
                'type' => 'varchar',
                'input' => 'select',
                'config' => ['hint' => 'Main road'],
                'options' => ['By car', 'On foot'],
            ]),
        ]]),
        new TaskInput(['label' => 'Verification']),
    ],
]))->getResults()[0];
$count = count($created->getTasks());
echo "created {$created->getName()} {$created->getColor()} with $count tasks\n";

[$found, , $headers] = $surveys->getSurveyWithHttpInfo($created->getId());
$read = $found->getResults()[0];
$access = $read->getTasks()[0]->getFields()[1];
$options = implode(' or ', $access->getOptions());
echo "read {$access->getLabel()}: {$access->getType()} by {$access->getInput()}, $options, hint {$access->getConfig()['hint']}\n";
echo "translated {$read->getTranslations()['es']->getName()}\n";

// The names of the headers are as they came, in capital letters or not.
$ifMatch = array_change_key_case($headers)['etag'][0];
$change = new SurveyInput(['name' => 'Flood report, second round', 'description' => null]);
$updated = $surveys->updateSurvey($created->getId(), $change, $ifMatch)->getResults()[0];
echo "updated {$updated->getName()}\n";
check(count($updated->getTasks()) === 2 && $updated->getColor() === '#0B74B8', 'something else has changed');
if ($updated->getDescription() === null) {
    echo "+ null\n";
}
refused(fn () => $surveys->updateSurvey($created->getId(), $change, $ifMatch));

$listed = $surveys->listSurveys(only: 'name', hydrate: 'translations', orderby: 'id', order: 'DESC')->getResults()[0];
check($listed->getTasks() === null, 'only the translations came');
echo "listed {$listed->getName()}: {$listed->getTranslations()['es']->getName()}\n";

$tags = [];
$pages = 0;
do {
    $page = $hxl->listHxlTags(limit: 20, offset: count($tags), orderby: 'tag_name');
    array_push($tags, ...$page->getResults());
    $pages += 1;
} while (count($tags) < $page->getTotalCount());
$attributes = count($tags[0]->getHxlAttributes());
echo 'tags ', count($tags), " on $pages pages, {$tags[0]->getTagName()} has $attributes attributes\n";

$license = $hxl->listHxlLicenses(code: 'cc-by')->getResults()[0];
$dataset = new HxlMetadataInput([
    'dataset_title' => 'Flood reports of March',
    'source' => 'Field teams',
    'license_id' => $license->getId(),
    'organisation_id' => 'red-cross-x',
    'organisation_name' => 'Red Cross X',
    'private' => false,
]);
$metadata = $hxl->getHxlMetadata($hxl->createHxlMetadata($dataset)->getId());
check($metadata->getUpdated() === null && $metadata->getUser()->getId() > 0, 'the metadata are others');
echo "metadata {$metadata->getDatasetTitle()} under {$license->getCode()}\n";

refused(fn () => (new HXLApi(config: $stranger))->listHxlTagNames());
$words = new FieldInput(['label' => 'Words', 'type' => 'tags', 'input' => 'tags', 'response_private' => true]);
$faulty = new TaskInput(['label' => 'Situation report', 'fields' => [title('Settlement'), title('District'), $words]]);
refused(fn () => $surveys->createSurvey(new SurveyInput(['tasks' => [$faulty]])));

check($surveys->deleteSurvey($created->getId())->getResult()->getDeleted() === $created->getId(), 'another was deleted');
echo "deleted\n";
refused(fn () => $surveys->getSurvey($created->getId()));
echo "+ typed errors\n";
