import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay } from "../widgets/Time.tsx"
import { type Person, personKinds } from "./Person.ts"

type Credential = Item<"GET /credentials">

const slot = (name: string, owner: string | null) => (
  <span key={name} class={owner === null ? "slot empty-slot" : "slot"}>
    {owner === null ? `no ${name}` : name}
  </span>
)

const Card = ({ attributes, id }: Credential) => (
  <li class="card">
    <h3>
      <a href={`/console/credentials/${id}`}>{attributes.credentialType}</a>
    </h3>
    <p>
      {attributes.identifier ?? <span class="quiet">no identifier</span>}{" "}
      {attributes.eligibility === undefined ? null : <Badge value={attributes.eligibility} />}
    </p>
    <p>
      Expires: <CalendarDay day={attributes.expiryDate} isNear />
    </p>
    <p class="owners">{personKinds.map((kind) => [slot(kind, attributes.owners[kind]), " "])}</p>
  </li>
)

const shownMax = "100"

/** The credentials of a person as cards, with their verdict and slots. */
export const CredentialCards = ({ owner }: { readonly owner: Pick<Person, "id" | "type"> }) => {
  const read = useRead("GET /credentials", {
    query: { ownerType: owner.type, ownerId: owner.id, pageSize: shownMax, includeTotal: "true" }
  })
  return (
    <section class="block">
      <h2>Credentials</h2>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="No credentials." />
          ) : (
            <>
              <ul class="cards">
                {data.map((credential) => (
                  <Card key={credential.id} {...credential} />
                ))}
              </ul>
              {(meta.total ?? 0) > data.length ? (
                <p class="quiet">
                  {data.length} of {meta.total} are shown.
                </p>
              ) : null}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
