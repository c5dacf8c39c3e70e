/** The tables and the types of their rows. Booleans are 0 or 1, timestamps RFC 3339 text, JSON is text. */
import type { Generated, Selectable } from 'kysely';

export interface Tables {
  users: Users;
  tokens: Tokens;
  surveys: Surveys;
  tasks: Tasks;
  fields: Fields;
  survey_counts: SurveyCounts;
  hxl_licenses: HxlLicenses;
  hxl_tags: HxlTags;
  hxl_metadata: HxlMetadata;
}

type Flag = 0 | 1;

export interface Users {
  id: Generated<number>;
  name: string;
  role: string;
  created: string;
}

export interface Tokens {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, in hexadecimal: the token itself is not stored. */
  hash: string;
  created: string;
  expires: string | null;
  revoked: string | null;
}

/**
 * A survey is read and written as a whole, so its tasks, with their fields, are one finished JSON text.
 * The tables `tasks` and `fields` give out the identifiers in it and say which survey owns them.
 */
export interface Surveys {
  id: Generated<number>;
  name: string;
  description: string | null;
  base_language: string;
  color: string | null;
  type: string;
  require_approval: Flag;
  everyone_can_create: Flag;
  disabled: Flag;
  hide_author: Flag;
  hide_time: Flag;
  hide_location: Flag;
  targeted_survey: Flag;
  /** JSON array of role names. */
  can_create: string;
  /** JSON as the contract's SurveyTranslations. */
  translations: string;
  /** JSON array of the languages a client listed; `enabled_languages` adds those that are translated. */
  listed_languages: string;
  /** JSON as the contract's EnabledLanguages. */
  enabled_languages: string;
  /** JSON array as the contract's Task, sorted. */
  tasks: string;
  /** The same without what only editors see; null when that is nothing. */
  published_tasks: string | null;
  created: string;
  updated: string | null;
  /** Counts what has changed in it that its readers see; 1 at first. */
  revision: number;
  /** A digest of each column: surveys/digests.ts. A migration that changes a value or adds a column renews them. */
  digests: string;
  /** What a search looks in: surveys/search.ts. */
  search_text: string;
}

/** A survey as it is stored. */
export type StoredSurvey = Selectable<Surveys>;
/** What is stored of a survey: its row without what follows from it. */
export type SurveyRow = Omit<StoredSurvey, 'digests' | 'search_text'>;

export interface Tasks {
  id: Generated<number>;
  survey_id: number;
}

export interface Fields {
  id: Generated<number>;
  survey_id: number;
}

/** How many surveys there are, disabled ones and others: triggers count. */
export interface SurveyCounts {
  disabled: Flag;
  total: number;
}

export interface HxlLicenses {
  id: Generated<number>;
  code: string;
  name: string;
  link: string;
}

export interface HxlTags {
  id: Generated<number>;
  tag_name: string;
  /** JSON object as in the contract's HxlTag. */
  hxl_attributes: string;
  /** JSON array as in the contract's HxlTag. */
  form_attribute_types: string;
}

export interface HxlMetadata {
  id: Generated<number>;
  user_id: number;
  private: Flag;
  dataset_title: string;
  license_id: number;
  organisation_id: string;
  organisation_name: string;
  source: string;
  created: string;
  updated: string | null;
  /** What filters compare: the text without regard to case. */
  dataset_title_key: string;
  organisation_key: string;
}
