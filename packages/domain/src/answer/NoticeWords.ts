type About = (organization: string) => string

/** The words of the notice in a language. A further language is one more file, and its row in `words`. */
export interface NoticeWords {
  /** A new one whenever a word of the language changes. */
  readonly version: string
  readonly purpose: About
  readonly recipients: About
  /** The retention of a tenant in years is about workers. */
  readonly keptOfWorker: (organization: string, years: number | undefined, days: number) => string
  readonly keptOfApplicant: (organization: string, days: number) => string
  readonly choice: About
  readonly rights: (organization: string, contact: string | undefined) => string
  readonly complaint: About
  readonly consent: About
}
