export { countOf, forgetOld, forgetRows, type Forgetting, noteDue } from './forgetting.ts';
