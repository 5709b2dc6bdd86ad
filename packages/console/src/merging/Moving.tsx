import type { ComponentChildren } from "preact"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import type { Merge } from "./UndoMerge.tsx"

const kinds = [
  ["credential", "credential", "credentials"],
  ["exemption", "exemption", "exemptions"],
  ["ban", "answer of a register", "answers of registers"],
  ["captureRequest", "fetch request", "fetch requests"]
] as const

/** The number of rows that moved, in words: "2 credentials, 1 exemption". */
export const movedWords = (moved: Merge["moved"]): string => {
  const words = kinds.flatMap(([kind, one, many]) =>
    moved[kind] === 0 ? [] : [`${moved[kind]} ${moved[kind] === 1 ? one : many}`]
  )
  return words.length === 0 ? "nothing" : words.join(", ")
}

/** The most rows of each kind that the screen names. */
const shownMax = "100"

const Rows = ({ children, what }: { readonly what: string; readonly children: ReadonlyArray<ComponentChildren> }) => (
  <>
    <h3>{what}</h3>
    {children.length === 0 ? <p class="quiet">None.</p> : <ul>{children}</ul>}
  </>
)

/** What a merge moves away from a worker, of the kinds that the person may read. */
export const Moving = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const held = { query: { ownerType: "worker", ownerId: id, pageSize: shownMax } } as const
  const about = { query: { workerId: id, pageSize: shownMax } }
  const credentials = useRead("GET /credentials", held, { isWanted: may("credential:READ") })
  const exemptions = useRead("GET /exemptions", held, { isWanted: may("exemption:READ") })
  const bans = useRead("GET /bans", about, { isWanted: may("ban:READ") })
  const requests = useRead("GET /fetch-requests", about, { isWanted: may("captureRequest:READ") })
  return (
    <>
      {may("credential:READ") ? (
        <Loaded read={credentials}>
          {({ data }) => (
            <Rows what="Credentials">
              {data.map(({ attributes, id }) => (
                <li key={id}>
                  <a href={`/console/credentials/${id}`}>{attributes.credentialType}</a> {attributes.identifier}{" "}
                  {attributes.eligibility === undefined ? null : <Badge value={attributes.eligibility} />}
                </li>
              ))}
            </Rows>
          )}
        </Loaded>
      ) : null}
      {may("exemption:READ") ? (
        <Loaded read={exemptions}>
          {({ data }) => (
            <Rows what="Exemptions">
              {data.map(({ exemptionType, id }) => (
                <li key={id}>{exemptionType}</li>
              ))}
            </Rows>
          )}
        </Loaded>
      ) : null}
      {may("captureRequest:READ") ? (
        <Loaded read={requests}>
          {({ data }) => (
            <Rows what="Fetch requests">
              {data.map(({ id, requestedCredentialTypes, status }) => (
                <li key={id}>
                  {requestedCredentialTypes.join(", ")} <Badge value={status} />
                </li>
              ))}
            </Rows>
          )}
        </Loaded>
      ) : null}
      {may("ban:READ") ? (
        <Loaded read={bans}>
          {({ data }) => (
            <Rows what="Registers of banned persons">
              {data.map(({ eligibility, id, register }) => (
                <li key={id}>
                  {register} <Badge value={eligibility} />
                </li>
              ))}
            </Rows>
          )}
        </Loaded>
      ) : null}
    </>
  )
}
