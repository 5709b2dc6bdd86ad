import { useMay } from "../calls/Me.ts"

/** A link to the entries of a record in the audit log, for people who may read it. `name` tells links of a list apart. */
export const ChangesLink = ({ id, name }: { readonly id: string; readonly name?: string }) => {
  const may = useMay()
  return may("auditEvent:READ") ? (
    <a
      href={`/console/audit?entityId=${encodeURIComponent(id)}`}
      aria-label={name === undefined ? undefined : `Changes: ${name}`}
    >
      Changes
    </a>
  ) : null
}

/** The id of a record, with a link to its entries. */
export const RecordId = ({ id }: { readonly id: string }) => (
  <>
    <code>{id}</code> <ChangesLink id={id} />
  </>
)
