import type { Data } from "../calls/Contract.ts"
import { addressOf } from "../people/Person.ts"

export type Owners = Data<"GET /credentials/:id">["attributes"]["owners"]

const Slot = ({
  id,
  name,
  type
}: {
  readonly type: "worker" | "applicant"
  readonly id: string | null
  readonly name: string | undefined
}) => (
  <div class={id === null ? "slot empty-slot" : "slot"}>
    <p class="quiet">{type === "worker" ? "Worker" : "Applicant"}</p>
    <p>{id === null ? "empty" : <a href={addressOf({ type, id })}>{name ?? id}</a>}</p>
  </div>
)

/** The two slots of a credential. `names` replace ids. */
export const Slots = ({
  names = {},
  owners
}: {
  readonly owners: Owners
  readonly names?: Readonly<Record<string, string>>
}) => (
  <div class="pair">
    <Slot type="worker" id={owners.worker} name={owners.worker === null ? undefined : names[owners.worker]} />
    <Slot
      type="applicant"
      id={owners.applicant}
      name={owners.applicant === null ? undefined : names[owners.applicant]}
    />
  </div>
)

/** The slots before and after a change. */
export const Change = ({
  after,
  before,
  names = {}
}: {
  readonly before: Owners
  readonly after: Owners
  readonly names?: Readonly<Record<string, string>>
}) => (
  <div class="slots">
    <section aria-label="Before">
      <Slots owners={before} names={names} />
    </section>
    <span aria-hidden="true">→</span>
    <section aria-label="After">
      <Slots owners={after} names={names} />
    </section>
  </div>
)
