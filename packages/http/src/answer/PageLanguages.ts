import { anyLanguage } from "@wcs/domain/answer/PageLanguage"
import type { LanguageTag } from "@wcs/domain/message/Language"
import { english } from "./languages/English.ts"
import { german } from "./languages/German.ts"
import type { PageWords } from "./PageWords.ts"

/** The words of each language. */
export const words: Readonly<Record<LanguageTag, PageWords>> = { en: english, de: german }

/** The most languages of a header that count. */
const acceptedMax = 20

/** The languages of `Accept-Language` without their regions, the most wanted first (RFC 9110, section 12.5.4). */
export const acceptedLanguages = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .split(",", acceptedMax)
    .map((part) => {
      const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
      return { language: range.split("-", 1)[0] ?? "", weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ language, weight }) => (language === anyLanguage || /^[a-z]{2,3}$/.test(language)) && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ language }) => language)
