import { Badge } from "../widgets/Badge.tsx"

/** The fields that decide whether a token or client still works. */
interface Life {
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

const noticeMillis = 14 * 24 * 60 * 60 * 1000

/** Whether a token or client works, and whether it expires within two weeks. */
export const LifeBadge = ({ expiresAt, revokedAt }: Life) => {
  if (revokedAt !== null) return <Badge value="REVOKED" tone="plain" />
  if (expiresAt === null) return <Badge value="ACTIVE" />
  const left = Date.parse(expiresAt) - Date.now()
  if (left <= 0) return <Badge value="EXPIRED" />
  return left < noticeMillis ? <Badge value="EXPIRES_SOON" /> : <Badge value="ACTIVE" />
}
