import type { Item } from "../calls/Contract.ts"
import { Badge, type Tone } from "../widgets/Badge.tsx"

/** A register, and by which way it is asked. */
export type Register = Item<"GET /verification-sources/registers">
export type Source = Item<"GET /verification-sources">
type State = Source["state"]
type FaultResult = NonNullable<Source["lastFault"]>["result"]

interface Look {
  /** Says the same as the color, for people who cannot see it. */
  readonly sign: string
  readonly words: string
  readonly tone: Tone
}

const looks: { readonly [One in State]: Look } = {
  OK: { sign: "✓", words: "answers", tone: "good" },
  REFUSED: { sign: "✕", words: "refuses", tone: "bad" },
  AWAY: { sign: "!", words: "away", tone: "bad" },
  PAUSED: { sign: "‖", words: "paused", tone: "wait" },
  NOT_CONFIGURED: { sign: "○", words: "no secret", tone: "bad" }
}

const unasked: Look = { sign: "–", words: "not asked yet", tone: "plain" }

/** Whether the register can be asked, in words and with a sign. */
export const SourceBadge = ({ lastSuccessAt, state }: Pick<Source, "lastSuccessAt" | "state">) => (
  <Badge {...(state === "OK" && lastSuccessAt === null ? unasked : looks[state])} />
)

/** By which way a register is asked that has no source of the organization. */
export const WayBadge = ({ askedBy }: Pick<Register, "askedBy">) =>
  askedBy === "NONE" ? (
    <Badge sign="○" words="no source" tone="bad" />
  ) : (
    <Badge sign="•" words="default source" tone="plain" />
  )

/** What a person does about a fault. */
const remedies: { readonly [One in FaultResult]: string } = {
  OK: "",
  TIMEOUT: "Waiting verifications are asked again by themselves. If it lasts, ask the operator of the gateway.",
  UNREACHABLE:
    "Waiting verifications are asked again by themselves. Check the address, and ask the operator of the gateway.",
  SECRET_REFUSED: "Replace the secret with the one that the gateway expects.",
  QUESTION_REFUSED: "Ask the author of the gateway. It must answer about this register.",
  WRONG_ADDRESS: "Correct the address, and enter the secret again.",
  UNREADABLE_ANSWER: "Ask the author of the gateway. Its answers do not match the contract.",
  NOT_CONFIGURED: "Enter the secret that the gateway expects."
}

/** What a person does about the present state; undefined if nothing is to do. */
export const remedyOf = ({ lastFault, state }: Pick<Source, "lastFault" | "state">): string | undefined => {
  if (state === "OK") return undefined
  if (state === "PAUSED") return "Verifications of this register wait until you resume."
  return remedies[state === "NOT_CONFIGURED" ? state : (lastFault?.result ?? "NOT_CONFIGURED")]
}

/** What a person does after a test with this result. */
export const remedyAfter = (result: FaultResult): string => remedies[result]

const accounts: Readonly<Record<string, string>> = {
  WWCC_NSW:
    "New South Wales answers only employers that have registered, and tells them of a bar. Your gateway asks with the account of your organization.",
  WWCC_SA:
    "South Australia answers only the account of an organization, and tells it in writing of later changes. Your gateway asks with the account of your organization.",
  NDIS_WORKER_SCREENING:
    "The NDIS database answers only providers, and only about workers who are linked to them. Your gateway asks with the account of your organization."
}

/** Why a register needs an account of the organization. */
export const accountTextOf = (credentialType: string): string =>
  accounts[credentialType] ?? "This register answers only the account of an employer. Your gateway asks with yours."
