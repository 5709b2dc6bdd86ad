import type { NoticeWords } from "../NoticeWords.ts"

const daysText = (days: number): string => (days === 1 ? "1 day" : `${days} days`)

export const english: NoticeWords = {
  version: "2026-12",
  purpose: (organization) =>
    `${organization} asks for these details to check that you may do the work or the volunteering that you are engaged or considered for. Laws about the protection of children and of people in care ask for such checks.`,
  recipients: (organization) =>
    `The register that issued a card gets its details, and says whether the card is valid. At ${organization}, the people who are responsible for these checks see your details. They are used for nothing else.`,
  keptOfWorker: (organization, years, days) => {
    const accepted =
      years === undefined
        ? `${organization} keeps the details that it accepts for as long as it needs them for these checks, or as a law asks for it.`
        : `${organization} keeps the details that it accepts until ${years} ${years === 1 ? "year" : "years"} after you have left. Then they are erased.`
    return `${accepted} What you enter here is erased ${daysText(days)} after the end of this request, unless ${organization} accepts it.`
  },
  keptOfApplicant: (organization, days) =>
    `What you enter here is erased ${daysText(days)} after the end of this request, unless you are engaged. ${organization} keeps the cards that it accepts for as long as it needs them for these checks, or as a law asks for it.`,
  choice: (organization) =>
    `You do not have to use this page: you can give the details to ${organization} in another way. Without them, ${organization} may not be able to engage you. A person decides about your answer, not a program alone.`,
  rights: (organization, contact) => {
    const how =
      contact === undefined
        ? "Ask the person who sent you the link."
        : `How to reach ${organization} about this: ${contact}`
    return `You can ask ${organization} to show you what it has about you, to correct it or to erase it. You can take back your consent at any time; what was done before stays lawful. ${how}`
  },
  complaint: (organization) =>
    `If you are not content with the handling of your details, tell ${organization} first. You can also complain to the Office of the Australian Information Commissioner (oaic.gov.au), or in Europe to the data protection authority of your country.`,
  consent: (organization) =>
    `I agree that ${organization} stores the details that I enter here, asks the registers about my cards, and keeps their answers.`
}
