import { Account } from "../access/Account.tsx"
import { FileButtons } from "../widgets/ListExport.tsx"
import { Time } from "../widgets/Time.tsx"

export const octets = "application/octet-stream"

export const sizeOf = (bytes: number): string =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** A stored file, as far as a line about it shows it. */
export interface Stored {
  readonly name: string
  readonly form: string
  readonly bytes: number
  readonly createdAt: string
  readonly account: string
}

/** The facts about a stored file. */
export const FileFacts = ({ file: { account, bytes, createdAt, form, name } }: { readonly file: Stored }) => (
  <p>
    <bdi>
      <strong>{name}</strong>
    </bdi>{" "}
    · {form}, {sizeOf(bytes)} · <Time at={createdAt} /> · <Account urn={account} />
  </p>
)

/** The button that saves a stored file. */
export const Download = ({
  name,
  read
}: {
  readonly name: string
  readonly read: Parameters<typeof FileButtons>[0]["read"]
}) => {
  const dot = name.lastIndexOf(".")
  return (
    <FileButtons
      forms={[{ type: octets, extension: name.slice(dot + 1), label: "Download" }]}
      name={name.slice(0, dot)}
      working="Downloading"
      of={name}
      read={read}
    />
  )
}
