/* Clicks through a report, and says in `data-result` of the body what is not as it should be. */
const failures = [];
addEventListener('error', e => failures.push('error: ' + e.message));
const should = (holds, what) => { if (!holds) failures.push(what); };
// Longer than the page waits before it changes its address.
const pause = () => new Promise(done => setTimeout(done, 200));
const press = async key => { document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })); await pause(); };
const currentLine = () => { const it = document.querySelector('.sl.cur'); return it ? +it.dataset.l : 0; };
async function drive() {
  const finding = D.findings[0], last = finding.steps[finding.steps.length - 1];
  should($$('table.checks tbody tr').length === D.checks.length, 'a row for each check');
  should($$('.card').length === D.findings.length + D.proofs.length, 'a card for each finding and proof');
  $$('table.checks a').find(a => a.textContent === 'Execution').click(); await pause(); await pause();
  should($('h1').textContent === finding.title, 'the finding is shown');
  should($$('.chip.th').length === finding.threads.length, 'a chip for each thread');
  should($$('.row').length > 3 && $$('.row').length < 300, 'only rows that can be seen: ' + $$('.row').length);
  await press('End');
  should(currentLine() === last.line, 'the last step marks line ' + last.line + ', not ' + currentLine());
  await press('Home');
  should(currentLine() === finding.steps[0].line, 'the first step marks its line');
  const before = location.hash; await press('j');
  should(location.hash !== before, 'a step has an address');
  await press(']');
  const here = finding.steps[+location.hash.split('/')[1] - 1];
  should(here.thread !== finding.steps[0].thread, 'the next context switch is in another thread');
  await press('F'); await press('Home');
  const step = $$('.stp')[1]; step.click(); await pause();
  should(currentLine() === finding.steps[+step.dataset.i].line, 'a click marks the line');
  should($('#vals').textContent.includes('Shared variables'), 'values are shown');
  const chip = $$('.chip.th')[0]; chip.click(); await pause();
  should(chip.getAttribute('aria-pressed') === 'false', 'a thread can be hidden');
  await press('Escape');
  should($$('.chip.th')[0].getAttribute('aria-pressed') === 'true', 'and shown again');
  const theme = document.documentElement.dataset.theme;
  $('#theme').click(); $('#theme').click(); await pause();
  should(['light', 'dark'].includes(theme), 'a theme is chosen');
  await press('?'); should($('#help').open, 'help opens'); $('#help').close();
  should(document.documentElement.scrollWidth <= innerWidth, 'nothing is wider than the page');
  const named = $$('button').every(b => (b.getAttribute('aria-label') || b.textContent).trim());
  should(named, 'every button has a name');
}
drive().catch(e => failures.push('stopped: ' + e.message)).then(() => { document.body.dataset.result = 'done: ' + failures.join('; '); });
