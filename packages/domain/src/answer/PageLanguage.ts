import { type LanguageTag, languageTags } from "../message/Language.ts"

/** What a browser accepts as any language. */
export const anyLanguage = "*"

const isTag = (text: string): text is LanguageTag => (languageTags as ReadonlyArray<string>).includes(text)

/**
 * The language of a page for a reader: that of the organization's messages, unless the reader's browser names only others. Then
 * the first of these that has words. `accepted` are languages without their regions, the most wanted first; empty if the
 * browser says nothing.
 */
export const pageLanguage = (setting: LanguageTag, accepted: ReadonlyArray<string>): LanguageTag =>
  accepted.includes(setting) || accepted.includes(anyLanguage) ? setting : (accepted.find(isTag) ?? setting)
