import type { LanguageTag } from "../message/Language.ts"
import type { OwnerType } from "../ownership/Ownership.ts"
import type { Consent } from "../screening/Answer.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { english } from "./languages/English.ts"
import { german } from "./languages/German.ts"
import type { NoticeWords } from "./NoticeWords.ts"

/** What a notice depends on. */
export interface Noticed {
  readonly organization: string
  /** Years for which the organization keeps people who have left; undefined: no rule. */
  readonly retentionYears: number | undefined
  /** Days for which an answer that is not kept stays after the end of its request. */
  readonly answerDays: number
  /** How people reach the organization about their data; undefined: by the person who sent the link. */
  readonly contact: string | undefined
}

const words: Readonly<Record<LanguageTag, NoticeWords>> = { en: english, de: german }

/** A notice of collection, and the consent that the page asks for (DECISIONS.md#answers). */
export interface Notice {
  readonly language: LanguageTag
  readonly version: string
  readonly paragraphs: ReadonlyArray<string>
  readonly consent: string
  /** The days that the notice promises. */
  readonly answerDays: number
}

/** Returns the notice of an organization to a worker or an applicant. */
export const noticeOf = (
  { answerDays, contact, organization, retentionYears }: Noticed,
  person: OwnerType,
  language: LanguageTag
): Notice => {
  const { version, ...says } = words[language]
  return {
    ...{ language, version },
    paragraphs: [
      says.purpose(organization),
      says.recipients(organization),
      person === "worker"
        ? says.keptOfWorker(organization, retentionYears, answerDays)
        : says.keptOfApplicant(organization, answerDays),
      says.choice(organization),
      says.rights(organization, contact),
      says.complaint(organization)
    ],
    consent: says.consent(organization),
    answerDays
  }
}

/** The consent to a notice, as it is kept with the answer. */
export const consentTo = ({ answerDays, consent, language, paragraphs, version }: Notice, now: Instant): Consent => ({
  ...{ version, language, text: consent },
  notice: paragraphs.join("\n"),
  retentionDays: answerDays,
  at: toRfc3339(now)
})
