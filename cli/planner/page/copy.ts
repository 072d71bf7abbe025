import { byId, setText } from './dom';

/**
 * Copies a link to this page with what is filled in; where the browser does not let it, shows it, ready to be copied.
 */
export async function copyLink(hash: string): Promise<void> {
  const link = location.href.replace(/#.*$/s, '') + hash;
  const field = byId<HTMLInputElement>('link');
  field.value = link;
  try {
    await navigator.clipboard.writeText(link);
    byId('link-box').hidden = true;
    setText(byId('copied'), 'Copied.');
  } catch {
    byId('link-box').hidden = false;
    field.select();
    setText(byId('copied'), 'Copy it from the field.');
  }
}
