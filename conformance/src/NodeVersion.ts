const oldest = [22, 19] as const

/** Returns an error message if this Node is too old for the suite, else undefined. */
export const complaintAbout = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
  return isOld ? `Node ${oldest.join(".")} or later is required; this is ${version}` : undefined
}
