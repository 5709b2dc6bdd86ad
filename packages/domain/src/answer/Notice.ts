import type { OwnerType } from "../ownership/Ownership.ts"
import type { Consent } from "../screening/Answer.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"

/** What a notice depends on. */
export interface Noticed {
  readonly organization: string
  /** Years for which the organization keeps people who have left; undefined: no rule. */
  readonly retentionYears: number | undefined
  /** How people reach the organization about their data; undefined: by the person who sent the link. */
  readonly contact: string | undefined
}

/** A notice of collection, and the consent that the page asks for (DECISIONS.md#answers). */
export interface Notice {
  /** A new one whenever a word changes. */
  readonly version: string
  readonly paragraphs: ReadonlyArray<string>
  readonly consent: string
}

/** The retention of a tenant is about workers. */
const kept = ({ organization, retentionYears }: Noticed, person: OwnerType): string =>
  retentionYears === undefined || person === "applicant"
    ? `${organization} keeps the details for as long as it needs them for these checks, or as a law asks for it.`
    : `${organization} keeps the details until ${retentionYears} ${retentionYears === 1 ? "year" : "years"} after you have left. Then they are erased.`

const contactOf = ({ contact, organization }: Noticed): string =>
  contact === undefined
    ? "Ask the person who sent you the link."
    : `How to reach ${organization} about this: ${contact}`

/** Returns the notice of an organization to a worker or an applicant. */
export const noticeOf = (noticed: Noticed, person: OwnerType): Notice => {
  const { organization } = noticed
  return {
    version: "2026-11",
    paragraphs: [
      `${organization} asks for these details to check that you may do the work or the volunteering that you are engaged or considered for. Laws about the protection of children and of people in care ask for such checks.`,
      `The register that issued a card gets its details, and says whether the card is valid. At ${organization}, the people who are responsible for these checks see your details. They are used for nothing else.`,
      kept(noticed, person),
      `You do not have to use this page: you can give the details to ${organization} in another way. Without them, ${organization} may not be able to engage you. A person decides about your answer, not a program alone.`,
      `You can ask ${organization} to show you what it has about you, to correct it or to erase it. You can take back your consent at any time; what was done before stays lawful. ${contactOf(noticed)}`,
      `If you are not content with the handling of your details, tell ${organization} first. You can also complain to the Office of the Australian Information Commissioner (oaic.gov.au), or in Europe to the data protection authority of your country.`
    ],
    consent: `I agree that ${organization} stores the details that I enter here, asks the registers about my cards, and keeps their answers.`
  }
}

/** The consent to a notice, as it is kept with the answer. */
export const consentTo = ({ consent, paragraphs, version }: Notice, now: Instant): Consent => ({
  version,
  text: consent,
  notice: paragraphs.join("\n"),
  at: toRfc3339(now)
})
