/** Takes the place of content that is being loaded. The style sheet delays it by 200 ms. */
export const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="unseen">Loading</span>
  </div>
)
