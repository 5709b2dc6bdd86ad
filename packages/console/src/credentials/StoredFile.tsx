import { Account } from "../access/Account.tsx"
import { FileButtons } from "../listing/ListExport.tsx"
import { Time } from "../widgets/Time.tsx"

export const octets = "application/octet-stream"

export const sizeOf = (bytes: number): string =>
  bytes < 100_000
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${Number((bytes / 1024 / 1024).toFixed(1)).toLocaleString()} MiB`

/** A stored file, as far as a line about it shows it. */
export interface Stored {
  readonly name: string
  readonly form: string
  readonly bytes: number
  readonly createdAt: string
  readonly account: string
  readonly activeContent: "FOUND" | "NOT_FOUND" | "UNKNOWN"
}

/** The facts about a stored file. */
export const FileFacts = ({ file }: { readonly file: Stored }) => (
  <>
    <p>
      <bdi>
        <strong>{file.name}</strong>
      </bdi>{" "}
      · {file.form}, {sizeOf(file.bytes)} · <Time at={file.createdAt} /> · <Account urn={file.account} />
    </p>
    {file.activeContent === "FOUND" ? (
      <p class="notice">
        This PDF contains active content, such as scripts, attached files or actions at the opening. Open it only if you
        expect that.
      </p>
    ) : null}
    {file.activeContent === "UNKNOWN" ? (
      <p class="quiet">
        This PDF has compressed or encrypted parts, which are not examined for scripts and attached files.
      </p>
    ) : null}
  </>
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
