"""All cases of validation, in the order of the page."""
import validation_cases_coupled
import validation_cases_rigid
import validation_cases_solids
import validation_cases_tanks
import validation_cases_viscous

CASES = [*validation_cases_tanks.CASES, *validation_cases_viscous.CASES, *validation_cases_rigid.CASES, *validation_cases_solids.CASES,
         *validation_cases_coupled.CASES]
