import type { Data, Item } from "../calls/Contract.ts"
import { type Privilege, useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { dayAt } from "../widgets/Days.ts"
import { CalendarDay, useTimeZone } from "../widgets/Time.tsx"

export type MatrixRow = Item<"GET /compliance-matrix">

/** The result of a worker in one check. */
export type Cell = MatrixRow["checks"][number]

type Failing = Cell["failingCredentials"][number]

/** Words for the status details whose own do not say what is the matter. */
const details: Partial<Record<Failing["statusDetail"], string>> = {
  VALID: "barred by a decision",
  VALID_EXPIRING: "barred by a decision",
  PENDING: "not verified yet",
  QUEUED_MANUAL: "waits for a decision",
  NOT_FOUND: "not found by the register",
  NAME_MISMATCH: "registered with another name",
  DETAILS_MISMATCH: "registered with other details",
  VOLUNTEER_ONLY: "for volunteers only",
  SOURCE_UNAVAILABLE: "the register could not be reached",
  SOURCE_TIMEOUT: "the register did not answer in time",
  SOURCE_NOT_CONFIGURED: "no register is set up",
  INTERNAL_ERROR: "could not be verified"
}

/** A card that does not count, why, and since when: "barred since 3 October". */
const FailingCard = ({ card, isReview }: { readonly card: Failing; readonly isReview: boolean }) => {
  const timeZone = useTimeZone()
  const { credentialType, expiryDate, id, since, statusDetail } = card
  return (
    <p class="reason">
      <a href={`/console/credentials/${id}`}>{credentialType}</a> {details[statusDetail] ?? wordsOf(statusDetail)}
      {since === undefined ? null : (
        <>
          {" "}
          since <CalendarDay day={dayAt(new Date(since), timeZone)} />
        </>
      )}
      {expiryDate === undefined ? null : (
        <>
          {" "}
          after <CalendarDay day={expiryDate} />
        </>
      )}
      {isReview ? ", needs a review" : ""}
    </p>
  )
}

/** The name of the register in the id of a ban. */
const registerOf = (ban: string): string => ban.split(":")[3] ?? ban

/** Each reason why a worker fails a check: the cards that do not count, the missing ones, and bans. */
export const Reasons = ({ bans, failingCredentials, missingCredentialTypes, reviews }: Cell) => {
  const without = missingCredentialTypes.filter(
    (type) => !failingCredentials.some(({ credentialType }) => credentialType === type)
  )
  const isReview = ({ credentialType, statusDetail }: Failing) =>
    reviews.some((one) => one.credentialType === credentialType && one.statusDetail === statusDetail)
  return (
    <>
      {failingCredentials.map((card) => (
        <FailingCard key={card.id} card={card} isReview={isReview(card)} />
      ))}
      {without.length === 0 ? null : <p class="reason">without {without.join(", ")}</p>}
      {bans.map(({ eligibility, id }) => (
        <p key={id} class="reason">
          {eligibility === "MAY_NOT_ENGAGE" ? "Banned" : "Possibly banned"} in the register {registerOf(id)}
        </p>
      ))}
    </>
  )
}

/** The result of a check, and each reason why it fails. */
export const CheckResult = (cell: Cell) => (
  <>
    <Badge value={cell.result} />
    <Reasons {...cell} />
  </>
)

/** The names of checks by id. A name that several checks have is followed by the id. */
const namesOf = (checks: ReadonlyArray<Item<"GET /compliance-checks">>): ReadonlyMap<string, string> =>
  new Map(
    checks.map(({ displayName, id }) => {
      const isShared = checks.filter((one) => one.displayName === displayName).length > 1
      return [id, isShared ? `${displayName} (${id})` : displayName]
    })
  )

/** The names of the enabled checks, or of all there ever were. Undefined until they are there. */
export const useCheckNames = ({ everyTime = false, isWanted = true } = {}): ReadonlyMap<string, string> | undefined => {
  const query = everyTime ? { includeDeleted: "true", pageSize: "100" } : { enabled: "true", pageSize: "100" }
  const checks = useRead("GET /compliance-checks", { query }, { isWanted })
  return checks.data && namesOf(checks.data.data)
}

const judging: ReadonlyArray<Privilege> = [
  "worker:READ",
  "complianceCheck:READ",
  "credential:READ",
  "ban:READ",
  "exemption:READ"
]

/** Whether the person may see who may work. */
export const useMayJudge = (): boolean => judging.every(useMay())

/** Whether somebody may work, as far as all checks of a row say so; undefined without checks. */
export const mayWork = ({ checks }: MatrixRow): boolean | undefined =>
  checks.length === 0 ? undefined : checks.every(({ result }) => result === "PASS")

/** Whether somebody has left: no list of people who may work has them. */
export const hasLeft = ({ employment }: Pick<Data<"GET /workers/:id">, "employment">, today: string): boolean =>
  employment?.status === "TERMINATED" || (employment?.endDate !== undefined && employment.endDate < today)

export const MayWorkBadge = ({ may }: { readonly may: boolean }) =>
  may ? <Badge tone="good" words="may work" /> : <Badge tone="bad" words="may not work" />
