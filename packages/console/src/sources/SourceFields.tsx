import { TextField } from "../widgets/Field.tsx"

interface Field {
  readonly value: string
  readonly onChange: (value: string) => void
}

export const UrlField = (field: Field) => (
  <TextField
    {...field}
    label="Address"
    type="url"
    hint="The https address of the gateway. It must be reachable from the internet."
    maxLength={2048}
    required
  />
)

export const SecretField = ({
  hint = "The token that the gateway expects. It is stored encrypted, and never shown again.",
  required = true,
  ...field
}: Field & { readonly hint?: string; readonly required?: boolean }) => (
  <TextField {...field} label="Secret" type="password" hint={hint} maxLength={4096} required={required} />
)

export const IntervalField = (field: Field) => (
  <TextField
    {...field}
    label="Days between verifications"
    type="number"
    hint="From 1 (daily) to 31 (monthly). A new bar is noticed after this time at the latest."
    min={1}
    max={31}
    required
  />
)

export const CallsField = (field: Field) => (
  <TextField
    {...field}
    label="Questions per minute"
    type="number"
    hint="From 1 to 600, as the register allows. Further questions wait."
    min={1}
    max={600}
    required
  />
)
