/* float32: the type, and the numbers on which its elementary functions rest. The coefficients are near-minimax fits,
   made with 40 digits (mpmath.chebyfit) and rounded.  */

#define real float
#define wide double /* what sums of many sums are taken in */
#define bits uint32_t
#define NAME(x) x##_f32
#define MANTISSA 23
#define BIAS 127
#define ROUNDER 12582912.0f   /* 1.5 * 2^23: added to a small number, it leaves the nearest integer in the low bits */
#define LN2_HIGH 0.693359375f /* few bits, so that products with small integers are exact */
#define LN2_LOW -2.12194440e-4f
#define EXP_HIGHEST 88.8f  /* exp of more is inf */
#define EXP_LOWEST -104.0f /* exp of less is 0 */
#define SQRT_HALF_BITS 0x3f3504f3u
#define SMALLEST 1.17549435e-38f /* normal number */
#define LIFT 8388608.0f
#define LIFTED 23.0f
#define INTEGERS 8388608.0f
#define INTEGERS_BITS 0x4b000000u
#define TANH_END 9.1f /* from here on it is 1 */
#define ERF_END 3.95f

#define EXP_TAIL(x) Q5(x, 0.5f, 0.1666657667f, 0.04166655421f, 0.008363232884f, 0.001392625083f)
#define LOG_TAIL(x) Q4(x, 0.3333333328f, 0.2000006111f, 0.1427538932f, 0.1166580724f)
#define TANH_TAIL(x) Q5(x, -0.3333333201f, 0.1333311373f, -0.05390942883f, 0.02130938866f, -0.006610227831f)
#define ERF_TAIL(x) \
    Q7(x, 0.1283791658f, -0.3761262667f, 0.1128359472f, -0.02685421201f, 0.005189087423f, -0.0008016864287f, \
       7.875875063e-5f)
#define ERFCX(x) \
    Q7(x, 1.276978382f, -0.0927636485f, -0.1660306102f, 0.1640383941f, -0.05420466551f, -0.007798595398f, \
       0.008444947802f)
#define HALF_PI_HIGH 1.5703125f
#define HALF_PI_MIDDLE 0.000483810901641845703125f
#define HALF_PI_LOW 1.589325477e-08f
#define SIN_TAIL(x) Q3(x, -0.1666666465f, 0.008332745938f, -0.0001958738732f)
#define COS_TAIL(x) Q3(x, 0.04166666465f, -0.00138883007f, 2.454743746e-5f)
