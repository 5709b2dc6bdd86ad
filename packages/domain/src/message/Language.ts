import { english } from "./languages/English.ts"
import { german } from "./languages/German.ts"
import type { Words } from "./Words.ts"

/** The words of each language, by its BCP 47 tag. */
export const languages = { en: english, de: german } as const satisfies Record<string, Words>

export type LanguageTag = keyof typeof languages
export const languageTags = Object.keys(languages) as ReadonlyArray<LanguageTag>
