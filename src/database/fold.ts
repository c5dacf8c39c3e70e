/** Texts that are compared without regard to case. */

/** What is equal for texts that differ in case only, or in how Unicode composes their letters. */
export function fold<Text extends string | undefined>(text: Text): Text {
  return text?.normalize('NFC').toLowerCase() as Text;
}
