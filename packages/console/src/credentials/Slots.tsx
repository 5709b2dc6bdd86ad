import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { addressOf, type Owners, type PersonKind, personKinds, titleOf } from "../people/Person.ts"

/** The name of an owner. If the caller passes no name, the owner is read, even if deleted. */
const OwnerName = ({
  id,
  name,
  type
}: {
  readonly type: PersonKind
  readonly id: string
  readonly name: string | undefined
}) => {
  const may = useMay()
  const input = { params: { id }, query: { includeDeleted: "true" } }
  const isUnknown = name === undefined && may(`${type}:READ`)
  const worker = useRead("GET /workers/:id", input, { isWanted: isUnknown && type === "worker" }).data?.data
  const applicant = useRead("GET /applicants/:id", input, { isWanted: isUnknown && type === "applicant" }).data?.data
  const read = {
    worker: worker?.identity.displayName,
    applicant: applicant?.displayName ?? applicant?.emailAddress
  }[type]
  return <a href={addressOf({ type, id })}>{name ?? read ?? id}</a>
}

const Slot = ({
  id,
  name,
  type
}: {
  readonly type: PersonKind
  readonly id: string | null
  readonly name: string | undefined
}) => (
  <div class={id === null ? "slot empty-slot" : "slot"}>
    <p class="quiet">{titleOf(type)}</p>
    <p>{id === null ? "empty" : <OwnerName type={type} id={id} name={name} />}</p>
  </div>
)

/** The slots of a credential. `names` replace ids. */
export const Slots = ({
  names = {},
  owners
}: {
  readonly owners: Owners
  readonly names?: Readonly<Record<string, string>>
}) => (
  <div class="pair">
    {personKinds.map((kind) => {
      const id = owners[kind]
      return <Slot key={kind} type={kind} id={id} name={id === null ? undefined : names[id]} />
    })}
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
