/** Generated from openapi/ by `npm run contract`. Do not edit. */

export interface paths {
    "/api/v5/surveys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List surveys
         * @description Returns the surveys the caller can see, all of them or a part of the list. The body holds the surveys alone, without a paging envelope.
         */
        get: operations["listSurveys"];
        put?: never;
        /**
         * Create a survey
         * @description Creates a survey with its tasks, fields and translations, all of it or nothing, and returns it as it is stored.
         *     Every member may be left out: `{}` makes a survey named "Untitled survey".
         *
         *     All tasks and fields are new. Identifiers in the body are ignored, temporary ones (`interim_id_1`) as well as those
         *     of another survey, so a survey that was read can be sent to copy it. Tasks and fields without `priority` keep
         *     their place in the sent order.
         */
        post: operations["createSurvey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v5/surveys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the survey, digits only.
                 * @example 17
                 */
                id: components["parameters"]["SurveyId"];
            };
            cookie?: never;
        };
        /**
         * Read a survey
         * @description Returns one survey, in a list of one. A survey that is disabled is not found by callers without `surveys:write`.
         */
        get: operations["getSurvey"];
        /**
         * Update a survey
         * @description Changes a survey and returns it as it is now. Everything happens or nothing.
         *
         *     **Members of the survey.** A member that is left out keeps its value. Null clears `description` and `color`.
         *     `translations`, `can_create` and `tasks` replace what was there when they are sent. `status` and `message` are
         *     accepted and ignored.
         *
         *     **Languages.** `enabled_languages.default` is the same as `base_language`: sent alone it changes it; if both are
         *     sent, `base_language` wins. `enabled_languages.available` holds what was sent, and every language that has a
         *     translation in the survey, its tasks or its fields.
         *
         *     **Tasks and fields.** When `tasks` is sent it is the whole new list:
         *
         *     | `id` in the body | What happens |
         *     |---|---|
         *     | a number that names a task or field of this survey | It is changed. Members that are left out keep their values. |
         *     | left out, null, or `interim_id_<n>` | It is created. Members that are left out get their defaults. |
         *     | a number that names nothing | 422 `unknown_reference` |
         *     | a number that names a task or field of another survey | 422 `foreign_reference`; the other survey is not touched. |
         *     | a number that was already sent | 422 `duplicate_reference` |
         *     | a task or field of this survey is not sent | It is deleted. |
         *
         *     - A field may be sent in another task than before. It moves there and keeps its `id` and its `key`.
         *     - If an existing task is sent without `fields` it keeps those of its fields that were not moved to another task.
         *       `"fields": []` deletes them.
         *     - A task or field sent without `priority` keeps its place in the sent order.
         *
         *     This body moves field 204 to task 42, adds a field there, and leaves everything else of both tasks as it is,
         *     except that the other fields of task 42 are deleted:
         *
         *     ```json
         *     {
         *       "tasks": [
         *         { "id": 41, "label": "Situation report" },
         *         {
         *           "id": 42,
         *           "label": "Verification",
         *           "fields": [
         *             { "id": 204, "type": "varchar", "input": "checkboxes", "label": "How can the place be reached?" },
         *             { "id": "interim_id_1", "type": "datetime", "input": "date", "label": "Day of the visit" }
         *           ]
         *         }
         *       ]
         *     }
         *     ```
         */
        put: operations["updateSurvey"];
        post?: never;
        /**
         * Delete a survey
         * @description Deletes a survey with its tasks, fields and translations, and returns its identifier.
         */
        delete: operations["deleteSurvey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HXL tag names
         * @description Returns the names of all HXL tags, in the order of their identifiers. The tags themselves come from `listHxlTags`.
         */
        get: operations["listHxlTagNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HXL metadata
         * @description Returns a page of the metadata records the caller can see: the public ones and their own; administrators see all. Private records of others are neither listed nor counted.
         */
        get: operations["listHxlMetadata"];
        put?: never;
        /**
         * Create HXL metadata
         * @description Creates a metadata record and returns it at the top level of the body.
         *
         *     The record belongs to the caller. `user_id` is for administrators, who may create a record for somebody else;
         *     from anybody else, another user's identifier is refused with 403 `forbidden`. A licence that does not exist is
         *     refused with 422 `unknown_reference` and the pointer `/license_id`.
         */
        post: operations["createHxlMetadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/metadata/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the metadata record, digits only.
                 * @example 5
                 */
                id: components["parameters"]["HxlMetadataId"];
            };
            cookie?: never;
        };
        /**
         * Read HXL metadata
         * @description Returns one metadata record at the top level of the body. A private record of somebody else is not found.
         */
        get: operations["getHxlMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HXL licenses
         * @description Returns a page of the licences under which a dataset can be published.
         */
        get: operations["listHxlLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/licenses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the licence, digits only.
                 * @example 1
                 */
                id: components["parameters"]["HxlLicenseId"];
            };
            cookie?: never;
        };
        /**
         * Read an HXL license
         * @description Returns one licence at the top level of the body.
         */
        get: operations["getHxlLicense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HXL tags
         * @description Returns a page of the tags, each with the attributes it takes and the field types it fits.
         */
        get: operations["listHxlTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the tag, digits only.
                 * @example 1
                 */
                id: components["parameters"]["HxlTagId"];
            };
            cookie?: never;
        };
        /**
         * Read an HXL tag
         * @description Returns one tag at the top level of the body, with the attributes it takes and the field types it fits.
         */
        get: operations["getHxlTag"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/hxl/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HXL organisations
         * @description Returns a page of the organisations that are named by metadata the caller can see.
         */
        get: operations["listHxlOrganisations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the user, digits only.
                 * @example 2
                 */
                id: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        /**
         * Read a user
         * @description Returns a user: the caller, or one to whom a metadata record belongs that the caller can see. Callers with the scope `users:manage` see all. Any valid token will do; no scope is needed.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The texts of a survey in one language. Other members are accepted and not stored. */
        SurveyTranslation: {
            /**
             * @description Name of the survey in this language.
             * @example Evaluación rápida de inundaciones
             */
            name?: string | null;
            /**
             * @description What the survey is for, in this language.
             * @example Primera mirada a los daños y las necesidades en los distritos inundados.
             */
            description?: string | null;
        };
        /**
         * @description The texts of the survey in other languages. A member whose value is an object is a language; text beside the languages (`name`, `description`) is kept as it was sent, other text is not stored. Beside the languages, `name`, `description` may be null, which counts as left out.
         * @example {
         *       "es": {
         *         "name": "Evaluación rápida de inundaciones",
         *         "description": "Primera mirada a los daños y las necesidades en los distritos inundados."
         *       },
         *       "ar": {
         *         "name": "تقييم سريع للفيضانات",
         *         "description": "نظرة أولى على الأضرار والاحتياجات في المناطق المغمورة."
         *       }
         *     }
         */
        SurveyTranslations: {
            [key: string]: components["schemas"]["SurveyTranslation"] | string;
        };
        /** @description The languages of a survey. */
        EnabledLanguages: {
            /**
             * @description The same as `base_language`.
             * @example en-US
             */
            default: string;
            /**
             * @description The languages that were sent, and every language that has a translation in the survey, its tasks or its fields.
             * @example [
             *       "es",
             *       "ar"
             *     ]
             */
            available: string[];
        };
        /**
         * @description `post` for the main task, `task` for an additional one. A new task is of type `task` when this is left out.
         * @example post
         * @enum {string}
         */
        TaskType: "post" | "task";
        /** @description The texts of a task in one language. Other members are accepted and not stored. */
        TaskTranslation: {
            /**
             * @description Heading of the task in this language.
             * @example Informe de situación
             */
            label?: string | null;
            /**
             * @description What is to be done in this task, in this language.
             * @example Llenar en el lugar
             * @example un informe por asentamiento.
             */
            description?: string | null;
        };
        /**
         * @description The texts of the task in other languages. A member whose value is an object is a language; text beside the languages (`label`, `description`) is kept as it was sent, other text is not stored. Beside the languages, `label`, `description` may be null, which counts as left out.
         * @example {
         *       "es": {
         *         "label": "Informe de situación"
         *       },
         *       "ar": {
         *         "label": "تقرير الوضع"
         *       }
         *     }
         */
        TaskTranslations: {
            [key: string]: components["schemas"]["TaskTranslation"] | string;
        };
        /**
         * @description What kind of value an answer is. A field of type `tags` cannot be `response_private`.
         * @example int
         * @enum {string}
         */
        FieldType: "decimal" | "int" | "geometry" | "text" | "varchar" | "markdown" | "point" | "datetime" | "link" | "relation" | "media" | "title" | "description" | "tags" | "phone";
        /**
         * @description The control with which an answer is given.
         * @example number
         * @enum {string}
         */
        FieldControl: "text" | "textarea" | "select" | "radio" | "checkbox" | "checkboxes" | "date" | "datetime" | "location" | "number" | "relation" | "upload" | "image" | "audio" | "document" | "video" | "markdown" | "tags" | "file";
        /**
         * @description Settings of the control: any object, at most 32 levels deep, returned as it was sent. A new field has none when this is left out.
         * @example {
         *       "hint": {
         *         "min": 0
         *       }
         *     }
         */
        FieldConfig: {
            [key: string]: unknown;
        };
        /**
         * @description The choices of a field in one language: a list in the order of `options`, or an object keyed by the position in it. At most 1000 choices and 32 levels deep, returned as it was sent.
         * @example [
         *       "En auto",
         *       "A pie",
         *       "No hay acceso"
         *     ]
         * @example {
         *       "0": "En auto",
         *       "2": "No hay acceso"
         *     }
         */
        TranslatedOptions: unknown;
        /** @description The texts of a field in one language. Other members are accepted and not stored. */
        FieldTranslation: {
            /**
             * @description The question in this language.
             * @example ¿Cómo se llega al lugar?
             */
            label?: string | null;
            /**
             * @description Advice on how to answer, in this language.
             * @example Marque todas las opciones posibles.
             */
            instructions?: string | null;
            /**
             * @description The answer that is filled in beforehand, in this language.
             * @example Ninguno
             */
            default?: string | null;
            options?: components["schemas"]["TranslatedOptions"];
        };
        /**
         * @description The texts of the field in other languages. A member whose value is an object is a language; text beside the languages (`label`, `instructions`, `default`) is kept as it was sent, other text is not stored. Beside the languages, `label`, `instructions`, `default`, `options` may be null, which counts as left out.
         * @example {
         *       "es": {
         *         "label": "¿Cómo se llega al lugar?",
         *         "instructions": "Marque todas las opciones posibles.",
         *         "options": [
         *           "En auto",
         *           "A pie",
         *           "No hay acceso"
         *         ]
         *       },
         *       "ar": {
         *         "label": "كيف يمكن الوصول إلى المكان؟",
         *         "options": [
         *           "بالسيارة",
         *           "سيرًا على الأقدام",
         *           "لا يمكن الوصول"
         *         ]
         *       }
         *     }
         */
        FieldTranslations: {
            [key: string]: components["schemas"]["FieldTranslation"] | string;
        };
        /** @description A question of a task. */
        Field: {
            /**
             * Format: int64
             * @description Identifier assigned by the service. It stays the same as long as the field exists.
             * @example 203
             */
            id: number;
            /**
             * Format: uuid
             * @description Key under which answers are stored. It is given once and never changes.
             * @example 5f0c6a52-9d0e-4b2f-8a1c-3f7a5be3c9d1
             */
            key: string;
            /**
             * @description The question, in the base language of the survey.
             * @example How many people had to leave their homes?
             */
            label: string;
            /**
             * @description Longer text shown with the question; null when there is none.
             * @example Count everybody who slept elsewhere last night.
             */
            description: string | null;
            /**
             * @description Advice on how to answer; null when there is none.
             * @example An estimate is enough.
             */
            instructions: string | null;
            /**
             * @description The answer that is filled in beforehand; null when there is none.
             * @example 0
             */
            default: string | null;
            type: components["schemas"]["FieldType"];
            input: components["schemas"]["FieldControl"];
            /**
             * Format: int32
             * @description Position among the fields of the task; lower comes first.
             * @example 3
             */
            priority: number;
            /**
             * @description Whether an answer must be given.
             * @example true
             */
            required: boolean;
            /**
             * @description Whether answers are kept from the public.
             * @example false
             */
            response_private: boolean;
            /**
             * Format: int32
             * @description How many answers may be given; 0 means any number.
             * @example 1
             */
            cardinality: number;
            config: components["schemas"]["FieldConfig"];
            /**
             * @description The choices of the question, as they were sent.
             * @example [
             *       "By car",
             *       "On foot",
             *       "Not at all"
             *     ]
             */
            options: unknown[];
            translations: components["schemas"]["FieldTranslations"];
        };
        /** @description A part of a survey that holds fields. The task of type `post` is the main one; the others are additional steps. */
        Task: {
            /**
             * Format: int64
             * @description Identifier assigned by the service. It stays the same as long as the task exists.
             * @example 41
             */
            id: number;
            /**
             * Format: int64
             * @description Identifier of the survey the task belongs to.
             * @example 17
             */
            form_id: number;
            /**
             * @description Heading of the task, in the base language of the survey.
             * @example Situation report
             */
            label: string;
            /**
             * @description What is to be done in this task; null when nothing was said.
             * @example Fill in on site
             * @example one report for each settlement.
             */
            description: string | null;
            type: components["schemas"]["TaskType"];
            /**
             * Format: int32
             * @description Position among the tasks; lower comes first.
             * @example 1
             */
            priority: number;
            /**
             * @description Whether the task has to be completed before an answer can be published.
             * @example false
             */
            required: boolean;
            /**
             * @description Whether the task is shown with published answers.
             * @example true
             */
            show_when_published: boolean;
            /**
             * @description Whether the task is for the team only.
             * @example false
             */
            task_is_internal_only: boolean;
            /**
             * @description Whether the main task is open to the public.
             * @example true
             */
            is_public: boolean;
            translations: components["schemas"]["TaskTranslations"];
            /** @description The fields in order of `priority`. */
            fields: components["schemas"]["Field"][];
        };
        /** @description A form definition: what is asked, in which order and in which languages. Only `id` is always there; which of the other members come is chosen with `only` and `hydrate`, and without these two parameters all of them come. */
        Survey: {
            /**
             * Format: int64
             * @description Identifier assigned by the service.
             * @example 17
             */
            id: number;
            /**
             * @description Name of the survey, in its base language.
             * @example Rapid flood assessment
             */
            name?: string;
            /**
             * @description What the survey is for, in its base language; null when there is none.
             * @example First look at damage and needs in the flooded districts.
             */
            description?: string | null;
            /**
             * @description Code of the language in which the names and labels themselves are written.
             * @example en-US
             * @example es-PE
             */
            base_language?: string;
            /**
             * @description Colour for maps and lists as `#RRGGBB`; null when none was chosen.
             * @example #1D4ED8
             */
            color?: string | null;
            /**
             * @description Kind of survey, `report` unless something else was chosen.
             * @example report
             */
            type?: string;
            /**
             * @description Whether an answer is checked by somebody before it is published.
             * @example true
             */
            require_approval?: boolean;
            /**
             * @description Whether everybody may answer; otherwise only the roles in `can_create`.
             * @example true
             */
            everyone_can_create?: boolean;
            /**
             * @description Whether the survey is out of use. Callers without `surveys:write` do not see a disabled survey.
             * @example false
             */
            disabled?: boolean;
            /**
             * @description Whether the author of an answer is kept from readers.
             * @example false
             */
            hide_author?: boolean;
            /**
             * @description Whether the time of an answer is kept from readers.
             * @example false
             */
            hide_time?: boolean;
            /**
             * @description Whether the place of an answer is kept from readers.
             * @example false
             */
            hide_location?: boolean;
            /**
             * @description Whether the survey is sent to chosen people instead of being open.
             * @example false
             */
            targeted_survey?: boolean;
            /**
             * @description Names of the roles that may answer when `everyone_can_create` is false.
             * @example [
             *       "manager",
             *       "field-team"
             *     ]
             */
            can_create?: string[];
            /**
             * Format: date-time
             * @description When the survey was created, as RFC 3339 in UTC.
             * @example 2025-03-14T09:26:53.000+00:00
             */
            created?: string;
            /**
             * Format: date-time
             * @description When the survey was last changed, as RFC 3339 in UTC; null when it never was.
             * @example 2025-03-15T06:02:11.000+00:00
             */
            updated?: string | null;
            translations?: components["schemas"]["SurveyTranslations"];
            enabled_languages?: components["schemas"]["EnabledLanguages"];
            /** @description The tasks in order of `priority`. Callers without `surveys:write` get neither tasks that are internal only nor tasks that are not shown when published. */
            tasks?: components["schemas"]["Task"][];
            /**
             * @description What the caller may do with this survey.
             * @example [
             *       "read",
             *       "create",
             *       "update",
             *       "delete",
             *       "search"
             *     ]
             */
            allowed_privileges?: string[];
        };
        /** @description The surveys that were asked for. Reading, creating and updating one survey returns a list of one. */
        SurveyResults: {
            /** @description The surveys. */
            results: components["schemas"]["Survey"][];
        };
        /** @description Where the problem is. It holds one of the members and is left out when the problem has no place. */
        ProblemSource: {
            /**
             * @description JSON Pointer (RFC 6901) into the body of the request; empty for the body as a whole.
             * @example /tasks/0/fields/3/label
             */
            pointer?: string;
            /**
             * @description Name of a path or query parameter.
             * @example limit
             */
            parameter?: string;
            /**
             * @description Name of a request header, in lower case.
             * @example content-type
             */
            header?: string;
        };
        /** @description One problem of a request. */
        Problem: {
            /**
             * Format: int32
             * @description The HTTP status of the response.
             * @example 422
             */
            status: number;
            /**
             * @description A sentence that says what is wrong and what to do. It may change; do not compare it.
             * @example The name must have at least 2 characters.
             */
            message: string;
            /**
             * @description What is wrong, for programs. Codes are stable; new ones may be added.
             * @example too_short
             */
            code: string;
            source?: components["schemas"]["ProblemSource"];
        };
        /** @description Why a request was refused. */
        ErrorBody: {
            /** @description One entry for each problem, at most 100. All problems of a body are reported together. */
            errors: components["schemas"]["Problem"][];
            /**
             * @description Identifier of the request, under which the service logged it. Name it when you ask for help.
             * @example req-7k2
             */
            request_id: string;
        };
        /** @description The languages of a survey as they are sent. When left out on creation there are those that have a translation. */
        EnabledLanguagesInput: {
            /**
             * @description The base language, for clients that do not send `base_language`. If both are sent `base_language` wins.
             * @example en-US
             */
            default?: string;
            /**
             * @description Codes of languages. Every language that has a translation is added by itself.
             * @example [
             *       "es",
             *       "ar"
             *     ]
             */
            available?: string[];
        };
        /** @description A field as it is sent. With the identifier of a field of this survey it changes that field, also when it now stands in another task, and what is left out keeps its value; without an identifier it makes a new field, and what is left out gets the default named in its description. A survey has at most one field of type `title` and one of type `description`. Unknown members, `key` and `$$hashKey` among them, are accepted and ignored. */
        FieldInput: {
            /**
             * @description In an update, the identifier of the field of this survey that is changed. Null, nothing or a temporary identifier makes a new field. On creation every field is new and the value is ignored.
             * @example 203
             * @example interim_id_1
             * @example null
             */
            id?: number | string | null;
            /**
             * @description The question, in the base language of the survey.
             * @example How many people had to leave their homes?
             */
            label: string;
            type: components["schemas"]["FieldType"];
            input: components["schemas"]["FieldControl"];
            /**
             * @description Longer text shown with the question. Null when left out in a new field.
             * @example Count everybody who slept elsewhere last night.
             */
            description?: string | null;
            /**
             * @description Advice on how to answer. Null when left out in a new field.
             * @example An estimate is enough.
             */
            instructions?: string | null;
            /**
             * @description The answer that is filled in beforehand. Null when left out in a new field.
             * @example 0
             */
            default?: string | null;
            /**
             * Format: int32
             * @description Position among the fields of the task; lower comes first. When left out the field keeps its place in the sent order.
             * @example 3
             */
            priority?: number;
            /**
             * @description Whether an answer must be given. `false` when left out in a new field.
             * @example true
             */
            required?: boolean;
            /**
             * @description Whether answers are kept from the public. `false` when left out in a new field.
             * @example false
             */
            response_private?: boolean;
            /**
             * Format: int32
             * @description How many answers may be given; 0 means any number. 1 when left out in a new field.
             * @example 1
             */
            cardinality?: number;
            config?: components["schemas"]["FieldConfig"];
            /**
             * @description The choices of the question: any values, at most 32 levels deep, returned as they were sent. Empty when left out in a new field.
             * @example [
             *       "By car",
             *       "On foot",
             *       "Not at all"
             *     ]
             */
            options?: unknown[];
            /**
             * @description How a web editor refers to the task: its identifier, or `interim_id_<n>` before it is saved. Any value is accepted; it is not stored and not returned: the task in which the field stands decides.
             * @example interim_id_1
             * @example 41
             */
            form_stage_id?: unknown;
            translations?: components["schemas"]["FieldTranslations"];
        };
        /** @description A task as it is sent. With the identifier of a task of this survey it changes that task, and what is left out keeps its value; without an identifier it makes a new task, and what is left out gets the default named in its description. Unknown members, `form_id` and `$$hashKey` among them, are accepted and ignored. */
        TaskInput: {
            /**
             * @description In an update, the identifier of the task of this survey that is changed. Null, nothing or a temporary identifier makes a new task. On creation every task is new and the value is ignored.
             * @example 41
             * @example interim_id_1
             * @example null
             */
            id?: number | string | null;
            /**
             * @description Heading of the task, in the base language of the survey.
             * @example Situation report
             */
            label: string;
            /**
             * @description What is to be done in this task. Null when left out in a new task.
             * @example Fill in on site
             * @example one report for each settlement.
             */
            description?: string | null;
            type?: components["schemas"]["TaskType"];
            /**
             * Format: int32
             * @description Position among the tasks; lower comes first. When left out the task keeps its place in the sent order.
             * @example 1
             */
            priority?: number;
            /**
             * @description Whether the task has to be completed before an answer can be published. `false` when left out in a new task.
             * @example false
             */
            required?: boolean;
            /**
             * @description Whether the task is shown with published answers. `true` when left out in a new task.
             * @example true
             */
            show_when_published?: boolean;
            /**
             * @description Whether the task is for the team only. `false` when left out in a new task.
             * @example false
             */
            task_is_internal_only?: boolean;
            /**
             * @description Whether the main task is open to the public. `false` when left out in a new task.
             * @example true
             */
            is_public?: boolean;
            translations?: components["schemas"]["TaskTranslations"];
            /** @description The fields, in order. Empty when left out in a new task. An existing task keeps its fields when this is left out, and loses those that are not sent when it is there; `[]` removes all. */
            fields?: components["schemas"]["FieldInput"][];
        };
        /** @description A survey as it is sent, to create one and to change one. Every member is optional. On creation a member left out gets the default named in its description; in an update it keeps its value. Unknown members and members that the service owns are accepted and ignored, so a survey that was read can be sent back as it is. */
        SurveyInput: {
            /**
             * @description Name of the survey, in its base language. "Untitled survey" when left out on creation.
             * @example Rapid flood assessment
             * @example Évaluation rapide des inondations
             */
            name?: string;
            /**
             * @description What the survey is for, in its base language. Null when left out on creation.
             * @example First look at damage and needs in the flooded districts.
             */
            description?: string | null;
            /**
             * @description Code of the language in which the names and labels themselves are written. When left out on creation it is `enabled_languages.default` if that is sent, otherwise `en-US`.
             * @example en-US
             * @example es-PE
             * @example ar
             */
            base_language?: string;
            /**
             * @description Colour for maps and lists, `RRGGBB` with or without `#`; it is returned with `#`. Null when left out on creation.
             * @example #1D4ED8
             */
            color?: string | null;
            /**
             * @description Kind of survey. `report` when left out on creation. Empty text counts as left out.
             * @example report
             */
            type?: string;
            /**
             * @description Whether an answer is checked by somebody before it is published. `true` when left out on creation.
             * @example true
             */
            require_approval?: boolean;
            /**
             * @description Whether everybody may answer; otherwise only the roles in `can_create`. `true` when left out on creation.
             * @example true
             */
            everyone_can_create?: boolean;
            /**
             * @description Whether the survey is out of use. `false` when left out on creation.
             * @example false
             */
            disabled?: boolean;
            /**
             * @description Whether the author of an answer is kept from readers. `false` when left out on creation.
             * @example false
             */
            hide_author?: boolean;
            /**
             * @description Whether the time of an answer is kept from readers. `false` when left out on creation.
             * @example false
             */
            hide_time?: boolean;
            /**
             * @description Whether the place of an answer is kept from readers. `false` when left out on creation.
             * @example false
             */
            hide_location?: boolean;
            /**
             * @description Whether the survey is sent to chosen people instead of being open. `false` when left out on creation.
             * @example false
             */
            targeted_survey?: boolean;
            /**
             * @description Names of the roles that may answer when `everyone_can_create` is false. Empty when left out on creation.
             * @example [
             *       "manager",
             *       "field-team"
             *     ]
             */
            can_create?: string[];
            translations?: components["schemas"]["SurveyTranslations"];
            enabled_languages?: components["schemas"]["EnabledLanguagesInput"];
            /** @description The tasks, in order. Empty when left out on creation. In an update they replace the tasks there are, as the description of `updateSurvey` says. A survey has at most 10,000 fields in all its tasks. */
            tasks?: components["schemas"]["TaskInput"][];
            /**
             * Format: int32
             * @description Accepted because existing clients send it, and ignored.
             * @example 200
             */
            status?: number;
            /**
             * @description Accepted because existing clients send it, and ignored.
             * @example Survey saved
             */
            message?: string;
        };
        /** @description The survey that is gone. */
        DeletedSurvey: {
            /**
             * Format: int64
             * @description Identifier of the deleted survey.
             * @example 17
             */
            deleted: number;
        };
        /** @description Which survey was deleted. */
        SurveyDeletion: {
            result: components["schemas"]["DeletedSurvey"];
        };
        /** @description The names of all HXL tags. */
        HxlTagNames: {
            /**
             * @description The names, without the leading `#`.
             * @example [
             *       "population",
             *       "affected",
             *       "inneed"
             *     ]
             */
            hxl: string[];
        };
        /** @description What every page of a listing says about itself. */
        Page: {
            /**
             * Format: int32
             * @description How many items are on this page.
             * @example 2
             */
            count: number;
            /**
             * @description The limit that was asked for, as text; null when none was.
             * @example 2
             */
            limit: string | null;
            /**
             * Format: int32
             * @description How many items were skipped.
             * @example 0
             */
            offset: number;
            /**
             * @description The direction, `asc` or `desc`.
             * @example asc
             */
            order: string;
            /**
             * @description The member by which the items are sorted.
             * @example id
             */
            orderby: string;
            /**
             * Format: uri
             * @description Link to this page.
             * @example http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0
             */
            curr: string;
            /**
             * Format: uri
             * @description Link to the page after this one. It is always there; past the last page the results are empty.
             * @example http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2
             */
            next: string;
            /**
             * Format: uri
             * @description Link to the page before this one. On the first page it leads to the first page.
             * @example http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0
             */
            prev: string;
            /**
             * Format: int32
             * @description How many items match in total, on all pages.
             * @example 8
             */
            total_count: number;
        };
        /** @description The user to whom the record belongs. */
        UserReference: {
            /**
             * Format: int64
             * @description Identifier of the user.
             * @example 2
             */
            id: number;
            /**
             * Format: uri
             * @description Link to the user.
             * @example http://localhost:3000/api/v3/users/2
             */
            url: string;
        };
        /** @description Describes a dataset for publication with HXL. */
        HxlMetadata: {
            /**
             * Format: int64
             * @description Identifier assigned by the service.
             * @example 5
             */
            id: number;
            /**
             * Format: uri
             * @description Link to this record.
             * @example http://localhost:3000/api/v3/hxl/metadata/5
             */
            url: string;
            user: components["schemas"]["UserReference"];
            /**
             * @description Whether only its user and administrators see the record.
             * @example false
             */
            private: boolean;
            /**
             * @description Title of the dataset.
             * @example Piura: people displaced by flooding, March 2025
             */
            dataset_title: string;
            /**
             * Format: int32
             * @description Identifier of the licence of the dataset, one of those that `listHxlLicenses` returns.
             * @example 1
             */
            license_id: number;
            /**
             * @description Identifier of the organisation that publishes the dataset.
             * @example red-humanitaria-norte
             */
            organisation_id: string;
            /**
             * @description Name of the organisation that publishes the dataset.
             * @example Red Humanitaria del Norte
             */
            organisation_name: string;
            /**
             * @description Where the data come from.
             * @example Rapid flood assessment
             */
            source: string;
            /**
             * Format: date-time
             * @description When the record was created, as RFC 3339 in UTC.
             * @example 2025-03-16T11:40:00.000+00:00
             */
            created: string;
            /**
             * Format: date-time
             * @description When the record was last changed, as RFC 3339 in UTC; null when it never was.
             * @example null
             */
            updated: string | null;
            /**
             * @description What the caller may do with this record.
             * @example [
             *       "read",
             *       "create",
             *       "search"
             *     ]
             */
            allowed_privileges: string[];
        };
        /** @description A page of metadata records. */
        HxlMetadataPage: components["schemas"]["Page"] & {
            /**
             * @description The limit that was asked for, as text; null when none was.
             * @example 2
             */
            limit: string | null;
            /** @description The items of this page. */
            results: components["schemas"]["HxlMetadata"][];
        };
        /** @description The description of a dataset as it is sent. Unknown members are accepted and ignored. */
        HxlMetadataInput: {
            /**
             * @description Title of the dataset.
             * @example Piura: people displaced by flooding, March 2025
             */
            dataset_title: string;
            /**
             * Format: int32
             * @description Identifier of a licence, one of those that `listHxlLicenses` returns.
             * @example 1
             */
            license_id: number;
            /**
             * @description Identifier of the organisation that publishes the dataset.
             * @example red-humanitaria-norte
             */
            organisation_id: string;
            /**
             * @description Name of the organisation that publishes the dataset.
             * @example Red Humanitaria del Norte
             */
            organisation_name: string;
            /**
             * @description Where the data come from.
             * @example Rapid flood assessment
             */
            source: string;
            /**
             * @description Whether only its user and administrators see the record.
             * @example false
             */
            private: boolean;
            /**
             * Format: int64
             * @description Identifier of the user to whom the record belongs: the caller when left out. Only administrators may name somebody else.
             * @example 2
             */
            user_id?: number;
        };
        /** @description A licence under which a dataset can be published. */
        HxlLicense: {
            /**
             * Format: int64
             * @description Identifier assigned by the service.
             * @example 1
             */
            id: number;
            /**
             * Format: uri
             * @description Link to this record.
             * @example http://localhost:3000/api/v3/hxl/licenses/1
             */
            url: string;
            /**
             * @description Short name of the licence.
             * @example cc-by-igo
             */
            code: string;
            /**
             * @description Name of the licence.
             * @example Creative Commons Attribution for Intergovernmental Organisations
             */
            name: string;
            /**
             * @description Where the text of the licence stands; empty when no address is known.
             * @example http://creativecommons.org/licenses/by/3.0/igo/legalcode
             * @example
             */
            link: string;
            /**
             * @description What the caller may do with this record.
             * @example [
             *       "read",
             *       "search"
             *     ]
             */
            allowed_privileges: string[];
        };
        /** @description A page of licences. */
        HxlLicensePage: components["schemas"]["Page"] & {
            /**
             * @description The limit that was asked for, as text; null when none was.
             * @example 2
             */
            limit: string | null;
            /** @description The items of this page. */
            results: components["schemas"]["HxlLicense"][];
        };
        /** @description An attribute that refines a tag. */
        HxlAttribute: {
            /**
             * Format: int64
             * @description Identifier of the tag.
             * @example 1
             */
            hxl_tag_id: number;
            /**
             * Format: int64
             * @description Identifier of the attribute of this tag.
             * @example 1
             */
            id: number;
            /**
             * @description Name of the attribute, without the leading `+`.
             * @example f
             */
            attribute: string;
            /**
             * @description What the attribute says about a column.
             * @example Limits the column to women and girls.
             */
            description: string;
        };
        /** @description A field type to which a tag can be given. */
        HxlFormAttributeType: {
            /**
             * @description The `type` of a field.
             * @example decimal
             * @example int
             * @example text
             * @example varchar
             * @example title
             * @example description
             */
            form_attribute_type: string;
        };
        /** @description A hashtag of the Humanitarian Exchange Language, with the attributes it takes and the field types it fits. */
        HxlTag: {
            /**
             * Format: int64
             * @description Identifier assigned by the service.
             * @example 1
             */
            id: number;
            /**
             * Format: uri
             * @description Link to this record.
             * @example http://localhost:3000/api/v3/hxl/tags/1
             */
            url: string;
            /**
             * @description Name of the tag, without the leading `#`.
             * @example population
             */
            tag_name: string;
            /**
             * @description The attributes the tag takes. It is always an object; its keys are whole numbers written as text and do not change from one request to the next.
             * @example {
             *       "1": {
             *         "hxl_tag_id": 1,
             *         "id": 1,
             *         "attribute": "f",
             *         "description": "Limits the column to women and girls."
             *       }
             *     }
             */
            hxl_attributes: {
                [key: string]: components["schemas"]["HxlAttribute"];
            };
            /** @description The field types to which the tag can be given. */
            form_attribute_types: components["schemas"]["HxlFormAttributeType"][];
            /**
             * @description What the caller may do with this record.
             * @example [
             *       "read",
             *       "search"
             *     ]
             */
            allowed_privileges: string[];
        };
        /** @description A page of tags. */
        HxlTagPage: components["schemas"]["Page"] & {
            /**
             * @description The limit that was asked for, as text; null when none was.
             * @example 2
             */
            limit: string | null;
            /** @description The items of this page. */
            results: components["schemas"]["HxlTag"][];
        };
        /** @description An organisation that is named by metadata the caller can see. */
        HxlOrganisation: {
            /**
             * @description Identifier of the organisation, as the metadata give it.
             * @example red-humanitaria-norte
             */
            id: string;
            /**
             * @description Name of the organisation, as the metadata give it.
             * @example Red Humanitaria del Norte
             */
            name: string;
            /**
             * Format: int32
             * @description How many metadata records of the organisation the caller can see.
             * @example 3
             */
            metadata_count: number;
            /**
             * Format: uri
             * @description Link to the metadata of the organisation.
             * @example http://localhost:3000/api/v3/hxl/metadata?organisation_id=red-humanitaria-norte
             */
            url: string;
            /**
             * @description What the caller may do with this record.
             * @example [
             *       "read",
             *       "search"
             *     ]
             */
            allowed_privileges: string[];
        };
        /** @description A page of organisations. */
        HxlOrganisationPage: components["schemas"]["Page"] & {
            /**
             * @description The limit that was asked for, as text; null when none was.
             * @example 2
             */
            limit: string | null;
            /** @description The items of this page. */
            results: components["schemas"]["HxlOrganisation"][];
        };
        /** @description Somebody who uses the service. */
        User: {
            /**
             * Format: int64
             * @description Identifier of the user.
             * @example 2
             */
            id: number;
            /**
             * Format: uri
             * @description Link to this record.
             * @example http://localhost:3000/api/v3/users/2
             */
            url: string;
            /**
             * @description Unique name of the user.
             * @example amina
             */
            name: string;
            /**
             * @description The role of the user, which decides the scopes of their tokens.
             * @example manager
             * @example admin
             * @example user
             */
            role: string;
            /**
             * @description What the caller may do with this record.
             * @example [
             *       "read"
             *     ]
             */
            allowed_privileges: string[];
        };
    };
    responses: {
        /** @description Nothing on this page has changed since the caller read it. There is no body. */
        ListNotModified: {
            headers: {
                /**
                 * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                 * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                 */
                ETag?: string;
                /**
                 * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                 * @example handling=strict
                 */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description A parameter or header is malformed, out of its range or repeated; or with `Prefer: handling=strict` a parameter is unknown. */
        BadParameter: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The credentials are missing, malformed, unknown, expired or revoked; the response does not say which. */
        Unauthorized: {
            headers: {
                /**
                 * @description The way to authenticate, always `Bearer` (RFC 6750), with `error="invalid_token"` where a token was sent.
                 * @example Bearer
                 */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The token lacks the scope of the operation. */
        Forbidden: {
            headers: {
                /**
                 * @description Names the scope that the token lacks (RFC 6750). It is left out when a scope would not help.
                 * @example Bearer error="insufficient_scope", scope="surveys:write"
                 */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The request did not arrive in time. The connection is closed. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The request line and headers are too large, 16 KiB or more. The connection is closed. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Something went wrong in the service. It was logged under the `request_id`. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The service is shutting down, or its database is locked, cannot be read or cannot be written now. Nothing was changed, unless the message says that it may have been. */
        ServiceUnavailable: {
            headers: {
                /**
                 * @description After how many seconds it makes sense to send the request again (RFC 9110).
                 * @example 5
                 */
                "Retry-After": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is empty, not UTF-8 or not JSON; or with `Prefer: handling=strict` a parameter is unknown. */
        MalformedBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is larger than the service takes, 1 MiB unless it is configured otherwise. */
        ContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not declared to be `application/json`, or it is compressed. */
        UnsupportedMediaType: {
            headers: {
                /**
                 * @description Only of the refusal of a media type. How bodies may be sent (RFC 9110, section 12.5.1).
                 * @example application/json
                 */
                Accept?: string;
                /**
                 * @description Only of the refusal of a compressed body. How bodies may be coded (RFC 9110, section 15.5.16).
                 * @example identity
                 */
                "Accept-Encoding"?: "identity";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is JSON but not a survey the service can take. All problems are reported together. */
        UnprocessableSurvey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The disk under the database is full. Nothing was changed; reading still works. */
        InsufficientStorage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Nothing has changed since the caller read it. There is no body. */
        NotModified: {
            headers: {
                /**
                 * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                 * @example "1-8lx87l"
                 */
                ETag: string;
                /**
                 * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                 * @example handling=strict
                 */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description There is no survey with this identifier, or the caller does not see it because it is disabled. */
        SurveyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The record is not in the state that the request asks for, because somebody has changed it. Nothing was done. */
        PreconditionFailed: {
            headers: {
                /**
                 * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                 * @example "1-8lx87l"
                 */
                ETag: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The address is too long. */
        UriTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The path or a header is malformed, or the body is empty, not UTF-8 or not JSON; or with `Prefer: handling=strict` a parameter is unknown. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is JSON but not a change the service can make. All problems are reported together and nothing is changed. */
        UnprocessableSurveyUpdate: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The service is configured to change surveys only with `If-Match` (RFC 6585), and the header is missing. */
        PreconditionRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The token lacks the scope of the operation, or `user_id` names somebody else and the caller is not an administrator. */
        HxlMetadataForbidden: {
            headers: {
                /**
                 * @description Names the scope that the token lacks (RFC 6750). It is left out when a scope would not help.
                 * @example Bearer error="insufficient_scope", scope="surveys:write"
                 */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is JSON but not metadata the service can take. All problems are reported together. */
        UnprocessableHxlMetadata: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no metadata record with this identifier, or it is private and somebody else's. */
        HxlMetadataNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no licence with this identifier. */
        HxlLicenseNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no tag with this identifier. */
        HxlTagNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description There is no user with this identifier. */
        UserNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description Comma-separated names of the members that are wanted, relations (`tasks`, `translations`, `enabled_languages`, `can_create`) included. `id` always comes. Unknown names are ignored; an empty value is as if it were absent.
         * @example id,name,updated
         */
        Only: string;
        /**
         * @description Comma-separated names of the relations that are wanted: `tasks`, `translations`, `enabled_languages`, `can_create`. Unknown names are ignored; an empty value means no relation.
         * @example tasks,translations
         */
        Hydrate: string;
        /**
         * @description How many surveys to return at most, digits only. Without it, or with 0, all of them.
         * @example 20
         */
        SurveyLimit: number;
        /**
         * @description How many items to skip, digits only.
         * @example 0
         */
        Offset: number;
        /**
         * @description The member by which the surveys are sorted. Those with the same value are sorted by `id`.
         * @example name
         */
        SurveyOrderby: "id" | "name" | "description" | "base_language" | "color" | "type" | "require_approval" | "everyone_can_create" | "disabled" | "hide_author" | "hide_time" | "hide_location" | "targeted_survey" | "created" | "updated";
        /**
         * @description The direction, `ASC` or `DESC`, in upper or lower case.
         * @example DESC
         */
        Order: string;
        /**
         * @description From where the list goes on: as it stands in the links that the header `Link` of an earlier page has. It belongs to the same `orderby`, `order` and filters, and is not given together with `offset`.
         * @example WyI4Q0VKVGF5WCIsImFmdGVyIiwxNyxudWxsXQ
         */
        SurveyCursor: string;
        /**
         * @description Only the surveys with these identifiers, up to a hundred with commas between them. Those that are not there are left out.
         * @example 17,21
         */
        SurveyIds: string;
        /**
         * @description Only surveys whose `base_language` is exactly this.
         * @example es-PE
         */
        SurveyBaseLanguage: string;
        /**
         * @description Only surveys that are available in exactly this language, as `enabled_languages.available` says.
         * @example ar
         */
        SurveyLanguage: string;
        /**
         * @description Only surveys that are disabled, or that are not. Callers who do not see disabled surveys find none.
         * @example false
         */
        SurveyDisabled: boolean;
        /**
         * @description Only surveys that were created at this time or later.
         * @example 2026-03-01T09:30:00Z
         */
        SurveyCreatedSince: string;
        /**
         * @description Only surveys that were created or changed at this time or later.
         * @example 2026-03-01T09:30:00Z
         */
        SurveyUpdatedSince: string;
        /**
         * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
         * @example "3-8lx87l"
         */
        IfNoneMatch: string;
        /**
         * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
         * @example handling=strict
         */
        Prefer: string;
        /**
         * @description Only surveys that have this text in their name, in the base language or in a translation: anywhere in it, in upper or lower case, and literally, without wildcards.
         * @example flood
         */
        SurveyQ: string;
        /**
         * @description Identifier of the survey, digits only.
         * @example 17
         */
        SurveyId: number;
        /**
         * @description The `Last-Modified` of what the caller has already. When nothing has changed since, the response is 304. It counts whole seconds and is ignored beside `If-None-Match`, which is better, and when it is no HTTP date.
         * @example Sun, 01 Mar 2026 09:30:00 GMT
         */
        IfModifiedSince: string;
        /**
         * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
         * @example "3-8lx87l"
         */
        IfMatch: string;
        /**
         * @description The `Last-Modified` of the record as it was read. When it has changed since, nothing is done and the response is 412. It counts whole seconds and is ignored beside `If-Match`, which is better, and when it is no HTTP date.
         * @example Sun, 01 Mar 2026 09:30:00 GMT
         */
        IfUnmodifiedSince: string;
        /**
         * @description Only records whose `dataset_title` is exactly this, in upper or lower case. An empty value matches nothing.
         * @example Piura: people displaced by flooding, March 2025
         */
        HxlMetadataName: string;
        /**
         * @description Only records whose licence has exactly this code, in upper or lower case. An empty value matches nothing.
         * @example cc-by-igo
         */
        HxlMetadataCode: string;
        /**
         * @description Only records of the organisation with exactly this identifier, in upper or lower case. An empty value matches nothing.
         * @example red-humanitaria-norte
         */
        HxlMetadataOrganisationId: string;
        /**
         * @description The member by which the metadata records are sorted. Those with the same value are sorted by `id`.
         * @example dataset_title
         */
        HxlMetadataOrderby: "id" | "url" | "private" | "dataset_title" | "license_id" | "organisation_id" | "organisation_name" | "source" | "created" | "updated";
        /**
         * @description How many items a page has at most, digits only. Without it, or with 0, all items come.
         * @example 2
         */
        Limit: number;
        /**
         * @description Only records whose `dataset_title` is exactly this, in upper or lower case; the same as `name`.
         * @example Piura: people displaced by flooding, March 2025
         */
        HxlMetadataDatasetTitle: string;
        /**
         * @description Only records that are private, or that are not. Private records of others are never found.
         * @example false
         */
        HxlMetadataPrivate: boolean;
        /**
         * @description Only records with this licence.
         * @example 1
         */
        HxlMetadataLicenseId: number;
        /**
         * @description Identifier of the metadata record, digits only.
         * @example 5
         */
        HxlMetadataId: number;
        /**
         * @description Only licences with exactly this name, in upper or lower case. An empty value matches nothing.
         * @example Creative Commons Attribution
         */
        HxlLicenseName: string;
        /**
         * @description Only licences with exactly this code, in upper or lower case. An empty value matches nothing.
         * @example cc-by
         */
        HxlLicenseCode: string;
        /**
         * @description The member by which the licences are sorted. Those with the same value are sorted by `id`.
         * @example code
         */
        HxlLicenseOrderby: "id" | "url" | "code" | "name" | "link";
        /**
         * @description Identifier of the licence, digits only.
         * @example 1
         */
        HxlLicenseId: number;
        /**
         * @description The member by which the tags are sorted. Those with the same value are sorted by `id`.
         * @example tag_name
         */
        HxlTagOrderby: "id" | "url" | "tag_name";
        /**
         * @description Only the tag with exactly this name, in upper or lower case.
         * @example population
         */
        HxlTagName: string;
        /**
         * @description Only tags that fit form fields of exactly this type.
         * @example int
         */
        HxlTagFormAttributeType: string;
        /**
         * @description Only tags that take exactly this attribute.
         * @example displaced
         */
        HxlTagAttribute: string;
        /**
         * @description Identifier of the tag, digits only.
         * @example 1
         */
        HxlTagId: number;
        /**
         * @description The member by which the organisations are sorted. Those with the same value are sorted by `id`.
         * @example name
         */
        HxlOrganisationOrderby: "id" | "url" | "name" | "metadata_count";
        /**
         * @description Identifier of the user, digits only.
         * @example 2
         */
        UserId: number;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
         * @example W/"NxBKBtB_6uv50rV4ji1AYP"
         */
        ListETag: string;
        /**
         * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
         * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
         */
        PageLinks: string;
        /**
         * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
         * @example 8
         */
        TotalCount: string;
        /**
         * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
         * @example handling=strict
         */
        PreferenceApplied: string;
        /**
         * @description The way to authenticate, always `Bearer` (RFC 6750), with `error="invalid_token"` where a token was sent.
         * @example Bearer
         */
        WwwAuthenticate: string;
        /**
         * @description Names the scope that the token lacks (RFC 6750). It is left out when a scope would not help.
         * @example Bearer error="insufficient_scope", scope="surveys:write"
         */
        WwwAuthenticateScope: string;
        /**
         * @description After how many seconds it makes sense to send the request again (RFC 9110).
         * @example 5
         */
        RetryAfter: string;
        /**
         * @description Where the new survey can be read.
         * @example http://localhost:3000/api/v5/surveys/17
         */
        SurveyLocation: string;
        /**
         * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
         * @example "1-8lx87l"
         */
        ETag: string;
        /**
         * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
         * @example Sun, 01 Mar 2026 09:30:00 GMT
         */
        LastModified: string;
        /**
         * @description Only of the refusal of a media type. How bodies may be sent (RFC 9110, section 12.5.1).
         * @example application/json
         */
        Accept: string;
        /**
         * @description Only of the refusal of a compressed body. How bodies may be coded (RFC 9110, section 15.5.16).
         * @example identity
         */
        AcceptEncoding: "identity";
        /**
         * @description Where the new metadata record can be read.
         * @example http://localhost:3000/api/v3/hxl/metadata/5
         */
        HxlMetadataLocation: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listSurveys: {
        parameters: {
            query: {
                /**
                 * @description Comma-separated names of the members that are wanted, relations (`tasks`, `translations`, `enabled_languages`, `can_create`) included. `id` always comes. Unknown names are ignored; an empty value is as if it were absent.
                 * @example id,name,updated
                 */
                only?: components["parameters"]["Only"];
                /**
                 * @description Comma-separated names of the relations that are wanted: `tasks`, `translations`, `enabled_languages`, `can_create`. Unknown names are ignored; an empty value means no relation.
                 * @example tasks,translations
                 */
                hydrate?: components["parameters"]["Hydrate"];
                /**
                 * @description How many surveys to return at most, digits only. Without it, or with 0, all of them.
                 * @example 20
                 */
                limit?: components["parameters"]["SurveyLimit"];
                /**
                 * @description How many items to skip, digits only.
                 * @example 0
                 */
                offset: components["parameters"]["Offset"];
                /**
                 * @description The member by which the surveys are sorted. Those with the same value are sorted by `id`.
                 * @example name
                 */
                orderby: components["parameters"]["SurveyOrderby"];
                /**
                 * @description The direction, `ASC` or `DESC`, in upper or lower case.
                 * @example DESC
                 */
                order: components["parameters"]["Order"];
                /**
                 * @description From where the list goes on: as it stands in the links that the header `Link` of an earlier page has. It belongs to the same `orderby`, `order` and filters, and is not given together with `offset`.
                 * @example WyI4Q0VKVGF5WCIsImFmdGVyIiwxNyxudWxsXQ
                 */
                cursor?: components["parameters"]["SurveyCursor"];
                /**
                 * @description Only the surveys with these identifiers, up to a hundred with commas between them. Those that are not there are left out.
                 * @example 17,21
                 */
                ids?: components["parameters"]["SurveyIds"];
                /**
                 * @description Only surveys whose `base_language` is exactly this.
                 * @example es-PE
                 */
                base_language?: components["parameters"]["SurveyBaseLanguage"];
                /**
                 * @description Only surveys that are available in exactly this language, as `enabled_languages.available` says.
                 * @example ar
                 */
                language?: components["parameters"]["SurveyLanguage"];
                /**
                 * @description Only surveys that are disabled, or that are not. Callers who do not see disabled surveys find none.
                 * @example false
                 */
                disabled?: components["parameters"]["SurveyDisabled"];
                /**
                 * @description Only surveys that were created at this time or later.
                 * @example 2026-03-01T09:30:00Z
                 */
                created_since?: components["parameters"]["SurveyCreatedSince"];
                /**
                 * @description Only surveys that were created or changed at this time or later.
                 * @example 2026-03-01T09:30:00Z
                 */
                updated_since?: components["parameters"]["SurveyUpdatedSince"];
                /**
                 * @description Only surveys that have this text in their name, in the base language or in a translation: anywhere in it, in upper or lower case, and literally, without wildcards.
                 * @example flood
                 */
                q?: components["parameters"]["SurveyQ"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The surveys, in the order that was asked for. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
                     * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
                     * @example 8
                     */
                    "X-Total-Count"?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyResults"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSurvey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The survey to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SurveyInput"];
            };
        };
        responses: {
            /** @description The survey was created. The list holds it alone. */
            201: {
                headers: {
                    /**
                     * @description Where the new survey can be read.
                     * @example http://localhost:3000/api/v5/surveys/17
                     */
                    Location: string;
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
                     * @example Sun, 01 Mar 2026 09:30:00 GMT
                     */
                    "Last-Modified": string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyResults"];
                };
            };
            400: components["responses"]["MalformedBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableSurvey"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getSurvey: {
        parameters: {
            query?: {
                /**
                 * @description Comma-separated names of the members that are wanted, relations (`tasks`, `translations`, `enabled_languages`, `can_create`) included. `id` always comes. Unknown names are ignored; an empty value is as if it were absent.
                 * @example id,name,updated
                 */
                only?: components["parameters"]["Only"];
                /**
                 * @description Comma-separated names of the relations that are wanted: `tasks`, `translations`, `enabled_languages`, `can_create`. Unknown names are ignored; an empty value means no relation.
                 * @example tasks,translations
                 */
                hydrate?: components["parameters"]["Hydrate"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `Last-Modified` of what the caller has already. When nothing has changed since, the response is 304. It counts whole seconds and is ignored beside `If-None-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description The `Last-Modified` of the record as it was read. When it has changed since, nothing is done and the response is 412. It counts whole seconds and is ignored beside `If-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the survey, digits only.
                 * @example 17
                 */
                id: components["parameters"]["SurveyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The survey. The list holds it alone. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
                     * @example Sun, 01 Mar 2026 09:30:00 GMT
                     */
                    "Last-Modified": string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyResults"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SurveyNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateSurvey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description The `Last-Modified` of the record as it was read. When it has changed since, nothing is done and the response is 412. It counts whole seconds and is ignored beside `If-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the survey, digits only.
                 * @example 17
                 */
                id: components["parameters"]["SurveyId"];
            };
            cookie?: never;
        };
        /** @description The members to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SurveyInput"];
            };
        };
        responses: {
            /** @description The survey as it is now. The list holds it alone. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
                     * @example Sun, 01 Mar 2026 09:30:00 GMT
                     */
                    "Last-Modified": string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyResults"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SurveyNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["ContentTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableSurveyUpdate"];
            428: components["responses"]["PreconditionRequired"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteSurvey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description The `Last-Modified` of the record as it was read. When it has changed since, nothing is done and the response is 412. It counts whole seconds and is ignored beside `If-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the survey, digits only.
                 * @example 17
                 */
                id: components["parameters"]["SurveyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The survey was deleted. */
            200: {
                headers: {
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyDeletion"];
                };
            };
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["SurveyNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            428: components["responses"]["PreconditionRequired"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listHxlTagNames: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The names. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlTagNames"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHxlMetadata: {
        parameters: {
            query: {
                /**
                 * @description Only records whose `dataset_title` is exactly this, in upper or lower case. An empty value matches nothing.
                 * @example Piura: people displaced by flooding, March 2025
                 */
                name?: components["parameters"]["HxlMetadataName"];
                /**
                 * @description Only records whose licence has exactly this code, in upper or lower case. An empty value matches nothing.
                 * @example cc-by-igo
                 */
                code?: components["parameters"]["HxlMetadataCode"];
                /**
                 * @description Only records of the organisation with exactly this identifier, in upper or lower case. An empty value matches nothing.
                 * @example red-humanitaria-norte
                 */
                organisation_id?: components["parameters"]["HxlMetadataOrganisationId"];
                /**
                 * @description The member by which the metadata records are sorted. Those with the same value are sorted by `id`.
                 * @example dataset_title
                 */
                orderby: components["parameters"]["HxlMetadataOrderby"];
                /**
                 * @description The direction, `ASC` or `DESC`, in upper or lower case.
                 * @example DESC
                 */
                order: components["parameters"]["Order"];
                /**
                 * @description How many items a page has at most, digits only. Without it, or with 0, all items come.
                 * @example 2
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to skip, digits only.
                 * @example 0
                 */
                offset: components["parameters"]["Offset"];
                /**
                 * @description Only records whose `dataset_title` is exactly this, in upper or lower case; the same as `name`.
                 * @example Piura: people displaced by flooding, March 2025
                 */
                dataset_title?: components["parameters"]["HxlMetadataDatasetTitle"];
                /**
                 * @description Only records that are private, or that are not. Private records of others are never found.
                 * @example false
                 */
                private?: components["parameters"]["HxlMetadataPrivate"];
                /**
                 * @description Only records with this licence.
                 * @example 1
                 */
                license_id?: components["parameters"]["HxlMetadataLicenseId"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of metadata records. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
                     * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
                     * @example 8
                     */
                    "X-Total-Count"?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlMetadataPage"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createHxlMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The metadata record to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["HxlMetadataInput"];
            };
        };
        responses: {
            /** @description The metadata record was created. */
            201: {
                headers: {
                    /**
                     * @description Where the new metadata record can be read.
                     * @example http://localhost:3000/api/v3/hxl/metadata/5
                     */
                    Location: string;
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
                     * @example Sun, 01 Mar 2026 09:30:00 GMT
                     */
                    "Last-Modified": string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlMetadata"];
                };
            };
            400: components["responses"]["MalformedBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["HxlMetadataForbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableHxlMetadata"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getHxlMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `Last-Modified` of what the caller has already. When nothing has changed since, the response is 304. It counts whole seconds and is ignored beside `If-None-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description The `Last-Modified` of the record as it was read. When it has changed since, nothing is done and the response is 412. It counts whole seconds and is ignored beside `If-Match`, which is better, and when it is no HTTP date.
                 * @example Sun, 01 Mar 2026 09:30:00 GMT
                 */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the metadata record, digits only.
                 * @example 5
                 */
                id: components["parameters"]["HxlMetadataId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata record. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description When the record was created or changed, in whole seconds (RFC 9110, section 8.8.2).
                     * @example Sun, 01 Mar 2026 09:30:00 GMT
                     */
                    "Last-Modified": string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlMetadata"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["HxlMetadataNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHxlLicenses: {
        parameters: {
            query: {
                /**
                 * @description Only licences with exactly this name, in upper or lower case. An empty value matches nothing.
                 * @example Creative Commons Attribution
                 */
                name?: components["parameters"]["HxlLicenseName"];
                /**
                 * @description Only licences with exactly this code, in upper or lower case. An empty value matches nothing.
                 * @example cc-by
                 */
                code?: components["parameters"]["HxlLicenseCode"];
                /**
                 * @description The member by which the licences are sorted. Those with the same value are sorted by `id`.
                 * @example code
                 */
                orderby: components["parameters"]["HxlLicenseOrderby"];
                /**
                 * @description The direction, `ASC` or `DESC`, in upper or lower case.
                 * @example DESC
                 */
                order: components["parameters"]["Order"];
                /**
                 * @description How many items a page has at most, digits only. Without it, or with 0, all items come.
                 * @example 2
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to skip, digits only.
                 * @example 0
                 */
                offset: components["parameters"]["Offset"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of licences. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
                     * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
                     * @example 8
                     */
                    "X-Total-Count"?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlLicensePage"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHxlLicense: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the licence, digits only.
                 * @example 1
                 */
                id: components["parameters"]["HxlLicenseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The licence. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlLicense"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["HxlLicenseNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHxlTags: {
        parameters: {
            query: {
                /**
                 * @description The member by which the tags are sorted. Those with the same value are sorted by `id`.
                 * @example tag_name
                 */
                orderby: components["parameters"]["HxlTagOrderby"];
                /**
                 * @description The direction, `ASC` or `DESC`, in upper or lower case.
                 * @example DESC
                 */
                order: components["parameters"]["Order"];
                /**
                 * @description How many items a page has at most, digits only. Without it, or with 0, all items come.
                 * @example 2
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to skip, digits only.
                 * @example 0
                 */
                offset: components["parameters"]["Offset"];
                /**
                 * @description Only the tag with exactly this name, in upper or lower case.
                 * @example population
                 */
                tag_name?: components["parameters"]["HxlTagName"];
                /**
                 * @description Only tags that fit form fields of exactly this type.
                 * @example int
                 */
                form_attribute_type?: components["parameters"]["HxlTagFormAttributeType"];
                /**
                 * @description Only tags that take exactly this attribute.
                 * @example displaced
                 */
                hxl_attribute?: components["parameters"]["HxlTagAttribute"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tags. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
                     * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
                     * @example 8
                     */
                    "X-Total-Count"?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlTagPage"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHxlTag: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Entity tags of the states in which the record may be, from the header `ETag` of an earlier response, or `*`. When it is in another state, nothing is done and the response is 412. Of a survey only the revision counts, whatever `only` and `hydrate` the tag was read with.
                 * @example "3-8lx87l"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the tag, digits only.
                 * @example 1
                 */
                id: components["parameters"]["HxlTagId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tag. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the record as it was read (RFC 9110, section 8.8.3). To be sent back in `If-None-Match` when it is read again, and in `If-Match` when it is changed.
                     * @example "1-8lx87l"
                     */
                    ETag: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlTag"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["HxlTagNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHxlOrganisations: {
        parameters: {
            query: {
                /**
                 * @description The member by which the organisations are sorted. Those with the same value are sorted by `id`.
                 * @example name
                 */
                orderby: components["parameters"]["HxlOrganisationOrderby"];
                /**
                 * @description The direction, `ASC` or `DESC`, in upper or lower case.
                 * @example DESC
                 */
                order: components["parameters"]["Order"];
                /**
                 * @description How many items a page has at most, digits only. Without it, or with 0, all items come.
                 * @example 2
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to skip, digits only.
                 * @example 0
                 */
                offset: components["parameters"]["Offset"];
            };
            header?: {
                /**
                 * @description Entity tags of what the caller has already, from the header `ETag` of earlier responses, or `*`. When one of them is still right, a reading request gets 304 without a body; a change is refused with 412.
                 * @example "3-8lx87l"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organisations. */
            200: {
                headers: {
                    /**
                     * @description Names this state of the page (RFC 9110, section 8.8.3), to be sent back in `If-None-Match`. It is left out of long lists, which are sent while they are read.
                     * @example W/"NxBKBtB_6uv50rV4ji1AYP"
                     */
                    ETag?: string;
                    /**
                     * @description Links to other pages (RFC 8288): `first`, `prev` and `next`, behind the links that every response has. The last page has no `next`, so whoever follows it comes to the end. They are there when the request has a `limit`.
                     * @example </openapi.json>; rel="service-desc", </docs>; rel="service-doc", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0>; rel="first", <http://localhost:3000/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=2>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many there are on all pages. It is left out of a list of surveys with filters when there are more than a thousand, because to count them would take longer than to read the page.
                     * @example 8
                     */
                    "X-Total-Count"?: string;
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HxlOrganisationPage"];
                };
            };
            304: components["responses"]["ListNotModified"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the caller would like (RFC 7240). With `handling=strict`, parameters and members of the body that this contract does not know are refused, each with the nearest known name, and not ignored as by default, which is `handling=lenient`. Other preferences are ignored.
                 * @example handling=strict
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Identifier of the user, digits only.
                 * @example 2
                 */
                id: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    /**
                     * @description Which preferences of the header `Prefer` were applied (RFC 7240); left out when none was.
                     * @example handling=strict
                     */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["UserNotFound"];
            408: components["responses"]["RequestTimeout"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
export interface securitySchemes {
    "bearer": { type: "http"; scheme: "bearer"; };
}
