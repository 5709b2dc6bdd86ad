/** The two kinds of person who own credentials. */
export type PersonKind = "worker" | "applicant"

/** A person as links and pickers name them. */
export interface Person {
  readonly type: PersonKind
  readonly id: string
  readonly name: string
  /** Distinguishes people with the same name, for example by the job or the email address. */
  readonly detail?: string
}

/** The address of a person's screen. */
export const addressOf = ({ id, type }: Pick<Person, "id" | "type">): string => `/console/${type}s/${id}`
